package spec

import (
	"cmp"
	"path/filepath"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// Largest is the largest size of a spec in bytes.
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
	return s, s.ResolvePaths(filepath.Dir(path))
}

// Parse reads and validates a spec. Errors call it name. Each element of set is
// key=value, where key is a path such as privacy.sigma and value is YAML; it counts
// as if the text said so. An empty value gives the default back.
func (k Kinds) Parse(text []byte, name string, set ...string) (*Spec, error) {
	doc, err := yamltext.NewDocument(text, Largest, name)
	if err != nil {
		return nil, fault.New(err.Error(), fault.Hint(err)+"; examples/federation.yaml shows a spec")
	}
	if err := k.set(doc, name, set); err != nil {
		return nil, err
	}
	s := defaults(k)
	if err := cmp.Or(joinSequence(doc), s.chooseKind(doc)); err != nil {
		return nil, inFile(err, name)
	}
	if err := doc.Decode(s); err != nil {
		return nil, s.explain(err, name, doc)
	}
	if err := s.checkFillGiven(doc); err != nil {
		return nil, inFile(err, name)
	}
	if err := s.validate(); err != nil {
		return nil, inFile(err, name)
	}
	return s, nil
}

// Draft returns a spec of a kind without reading a file. change sets values over the
// defaults, and the result is validated.
func (k Kinds) Draft(kind string, change func(*Spec)) (*Spec, error) {
	s := defaults(k)
	s.Algorithm.Kind = kind
	s.takeKeys()
	change(s)
	return s, s.validate()
}

// ResolvePaths makes the data path, which is relative to the folder dir, absolute and keeps the
// folder. Callers that know the generators decide whether the graph is a file.
func (s *Spec) ResolvePaths(dir string) (err error) {
	if s.Dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if s.Data.Path != "" && !filepath.IsAbs(s.Data.Path) {
		s.Data.Path = filepath.Join(s.Dir, s.Data.Path)
	}
	return nil
}

// explain adds to an error about an unknown key the keys that may have been meant.
func (s *Spec) explain(err error, name string, doc *yamltext.Document) error {
	key, unknown := yamltext.IsUnknown(err)
	if !unknown {
		return fault.New(err.Error(), fault.Hint(err)+"; examples/federation.yaml shows a spec")
	}
	var given struct{ Algorithm map[string]any }
	_ = doc.Glance(&given) // without an algorithm the key stands elsewhere
	if _, there := given.Algorithm[key]; there {
		if other := s.elsewhere(key); other != nil {
			return inFile(other, name)
		}
	}
	return fault.New(err.Error(), s.kinds.suggest(key))
}

// inFile puts the file's name before a validation error.
func inFile(err error, name string) error {
	return &fault.Error{What: name + ": " + err.Error(), Hint: fault.Hint(err), Err: err}
}

// YAML returns the resolved spec, every default visible.
func (s *Spec) YAML() ([]byte, error) { return yamltext.Marshal(s) }

// Plain returns the resolved spec as maps and numbers, for JSON.
func (s *Spec) Plain() (any, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	doc, err := yamltext.NewDocument(text, len(text), "the resolved spec")
	if err != nil {
		return nil, err
	}
	if err := doc.Decode(&plain); err != nil {
		return nil, err
	}
	if s.Seed > exactJSON {
		plain["seed"] = strconv.FormatUint(s.Seed, 10)
	}
	return plain, nil
}

// exactJSON is the largest whole number up to which every JSON reader keeps all whole numbers exact.
// A larger seed is written as text.
const exactJSON = 1 << 53
