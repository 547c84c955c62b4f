package spec

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// Largest is how long a spec may be, in bytes.
const Largest = 4 << 20

// Load reads and validates the spec file at path, with values set over it as Parse
// does. Paths inside it are relative to the file's folder and come back absolute.
func (k Kinds) Load(path string, set ...string) (*Spec, error) {
	text, err := regular.Read(path, Largest)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the spec", "give the path of a YAML file, such as examples/federation.yaml")
	}
	s, err := k.Parse(text, path, set...)
	if err != nil {
		return nil, err
	}
	return s, s.resolvePaths(filepath.Dir(path))
}

// Parse reads and validates a spec; name is what errors call it. Each of set is
// key=value, where key is a path such as privacy.sigma and value is YAML; it counts
// as if the text said so. An empty value gives the default back.
func (k Kinds) Parse(text []byte, name string, set ...string) (*Spec, error) {
	doc, err := yamltext.NewDocument(text, Largest)
	if err != nil {
		return nil, fault.New(name+": "+err.Error(), fault.Hint(err)+"; examples/federation.yaml shows a spec")
	}
	if err := k.set(doc, set); err != nil {
		return nil, inFile(err, name)
	}
	s := defaults(k)
	if err := s.decode(doc); err != nil {
		return nil, s.explain(err, doc, name)
	}
	if err := s.checkWhole(doc); err != nil {
		return nil, inFile(err, name)
	}
	if err := s.validate(); err != nil {
		return nil, inFile(err, name)
	}
	return s, nil
}

// Draft is a spec of a kind that no file holds: change sets over the defaults what
// there is to say.
func (k Kinds) Draft(kind string, change func(*Spec)) (*Spec, error) {
	s := defaults(k)
	s.Algorithm.Kind = kind
	s.takeKeys()
	change(s)
	return s, s.validate()
}

// decode reads a file over the defaults. The YAML decoder panics on a mapping
// with a tag where a list belongs, among others; that is an error like any other.
func (s *Spec) decode(doc *yamltext.Document) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is not readable as YAML: %v", p)
		}
	}()
	if err := s.chooseKind(doc); err != nil {
		return err
	}
	return doc.Decode(s, yaml.Strict())
}

// resolvePaths makes the data path absolute and keeps the folder. Whether the
// graph is a file is for those to say who know the generators.
func (s *Spec) resolvePaths(dir string) (err error) {
	if s.Dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if s.Data.Path != "" && !filepath.IsAbs(s.Data.Path) {
		s.Data.Path = filepath.Join(s.Dir, s.Data.Path)
	}
	return nil
}

// explain turns a YAML error into one line with its place, and a hint.
func (s *Spec) explain(err error, doc *yamltext.Document, name string) error {
	var own *fault.Error
	if errors.As(err, &own) {
		return inFile(own, name)
	}
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return fault.Wrap(err, name, "a spec is a YAML mapping; examples/federation.yaml shows one")
	}
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		if other := s.elsewhere(at.GetToken().Value); other != nil {
			return inFile(other, name)
		}
	}
	what, hint := s.reason(err, at)
	return fault.New(doc.Place(name, at.GetToken())+": "+what, hint)
}

// reason says what a YAML error means to somebody who does not know Go.
func (s *Spec) reason(err error, at yaml.Error) (what, hint string) {
	hint = "check the indentation and the value's type; examples/federation.yaml shows a spec"
	value := firstLine(at.GetToken().Value)
	var (
		unknown  *yaml.UnknownFieldError
		mistyped *yaml.TypeError
		overflow *yaml.OverflowError
	)
	switch {
	case errors.As(err, &unknown):
		return firstLine(at.GetMessage()), s.kinds.suggest(at.GetToken().Value)
	case errors.As(err, &mistyped):
		return fmt.Sprintf("%q is not %s", value, wanted(mistyped.DstType)), hint
	case errors.As(err, &overflow):
		return fmt.Sprintf("%s is out of range", value), "give a whole number from 0 to about 10^18"
	}
	return firstLine(at.GetMessage()), hint
}

// wanted names what a Go type holds.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	}
	return "what this key takes"
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
func (s *Spec) YAML() ([]byte, error) { return marshal(s) }

// marshal writes numbers as all readers of YAML take them for.
func marshal(v any) ([]byte, error) {
	return yaml.MarshalWithOptions(v, yaml.CustomMarshaler[float64](func(x float64) ([]byte, error) {
		return []byte(decimal(x)), nil
	}))
}

// decimal writes x with all its digits, so that readers which hold that 1e-06
// is text read a number too.
func decimal(x float64) string {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if mantissa, exponent, found := strings.Cut(text, "e"); found && !strings.Contains(mantissa, ".") {
		return mantissa + ".0e" + exponent
	}
	return text
}

// Plain is the resolved spec as maps and numbers, for JSON.
func (s *Spec) Plain() (any, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		return nil, err
	}
	if s.Seed > exactJSON {
		plain["seed"] = strconv.FormatUint(s.Seed, 10)
	}
	return plain, nil
}

// exactJSON is the largest whole number up to which every JSON reader keeps all;
// a larger seed is text there.
const exactJSON = 1 << 53
