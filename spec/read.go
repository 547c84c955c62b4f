package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"hearsay/internal/fault"
)

// Load reads and validates the spec file at path. Paths inside it are
// relative to the file's folder and come back absolute.
func Load(path string) (*Spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the spec", "give the path of a YAML file, such as examples/federation.yaml")
	}
	s, err := Parse(text, path)
	if err != nil {
		return nil, err
	}
	return s, s.resolvePaths(filepath.Dir(path))
}

// Parse reads and validates a spec; name is what errors call it.
func Parse(text []byte, name string) (*Spec, error) {
	s := defaults()
	decoder := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	if err := decoder.Decode(s); err != nil && !errors.Is(err, io.EOF) {
		return nil, explain(err, name)
	}
	if err := s.validate(); err != nil {
		return nil, inFile(err, name)
	}
	return s, nil
}

// resolvePaths makes the data path, and a graph that is a file, absolute.
func (s *Spec) resolvePaths(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if s.Data.Path != "" && !filepath.IsAbs(s.Data.Path) {
		s.Data.Path = filepath.Join(dir, s.Data.Path)
	}
	if file := filepath.Join(dir, s.Graph); !filepath.IsAbs(s.Graph) && isFile(file) {
		s.Graph = file
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// explain turns a YAML error into one line with its place, and a hint.
func explain(err error, name string) error {
	var own *fault.Error
	if errors.As(err, &own) {
		return inFile(own, name)
	}
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return fault.Wrap(err, name, "a spec is a YAML mapping; examples/federation.yaml shows one")
	}
	place := at.GetToken().Position
	hint := "check the indentation and the value's type; examples/federation.yaml shows a spec"
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		hint = suggest(at.GetToken().Value)
	}
	return fault.New(fmt.Sprintf("%s:%d:%d: %s", name, place.Line, place.Column, firstLine(at.GetMessage())), hint)
}

// inFile puts the file's name before a validation error.
func inFile(err error, name string) error {
	return &fault.Error{What: name + ": " + err.Error(), Hint: fault.Hint(err), Err: err}
}

func firstLine(s string) string {
	line, _, _ := bytes.Cut([]byte(s), []byte("\n"))
	return string(line)
}

// YAML is the resolved spec, every default visible.
func (s *Spec) YAML() ([]byte, error) { return yaml.Marshal(s) }

// Plain is the resolved spec as maps and numbers, for JSON.
func (s *Spec) Plain() (any, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	return plain, yaml.Unmarshal(text, &plain)
}
