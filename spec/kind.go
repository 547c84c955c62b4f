package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// A Kind describes one value of algorithm.kind as far as a spec must know it. The
// algorithm's family states it.
type Kind struct {
	Name   string
	Family Rules  // whose it is
	Story  string // how it trains, in a clause of the present tense, as plans say it too
	Many   string // the same with several tokens, their number as %d; "": it has one

	OwnAverage  bool     // every participant can have the mean of its own iterates as its model
	Graphless   bool     // it draws from all nodes alike: no graph is read
	SetsSteps   bool     // it sets the step size, and the number of steps where none is given
	OwnWeights  bool     // weights may be a file: its accountants state their requirements on a matrix
	Changing    bool     // its graph may be a sequence, one for each turn
	OwnRoute    bool     // where its token goes is its own: nothing is asked of a spectrum
	Shape       string   // generator of the graph if a spec names none; "": complete
	Noise       string   // the unit of sigma if it is no multiplier, such as random answers
	Accountants []string // that price it, the one to rely on last
	Asserted    []string // of these, whose numbers are bounds only if an assertion is true
	Pooled      []string // the accountants that price coalitions
	OwnClips    bool     // nodes may have clips of their own (Privacy.Limits)
	AnyStart    bool     // a run may begin with an earlier model: the losses of all accountants hold for any public start
	AnyStep     bool     // steps may be any, with momentum or along clipped means: an accountant charges all of them as public
	Regularises bool     // model.regulariser is part of its objective
	Shows       bool     // participants show a constant each before the run
	Simulated   string   // why no participants run it, said after its name; "": they can
	Real        string   // the accountant of a federation that names none, where others than the local one hold; "": the one to rely on
}

// Rules holds the keys and checks that the kinds of one family add to a spec.
type Rules interface {
	// Keys returns a pointer to a struct of the algorithm's keys that only this family has,
	// set to their defaults. It returns nil if there are none.
	Keys() any
	// Check checks the family's own keys and its limits on the common keys, and fills in
	// defaults.
	Check(*Spec) error
	// CheckReal refuses settings that a federation cannot have.
	CheckReal(*Spec) error
	// OnlyLocal returns the reason why no accountant but the local one holds for a federation.
	// It returns "" if others hold, too.
	OnlyLocal(*Spec) string
}

// Kinds lists the algorithms that a spec can name.
type Kinds []Kind

// Names returns the values that algorithm.kind can have.
func (k Kinds) Names() []string { return k.which(func(Kind) bool { return true }) }

// which returns the names of the kinds for which those is true.
func (k Kinds) which(those func(Kind) bool) (names []string) {
	for _, kind := range k {
		if those(kind) {
			names = append(names, kind.Name)
		}
	}
	return names
}

func (k Kinds) find(name string) *Kind {
	if i := slices.IndexFunc(k, func(kind Kind) bool { return kind.Name == name }); i >= 0 {
		return &k[i]
	}
	return nil
}

// Kind returns the kind of the spec's algorithm. It returns nil if the kind is not known.
func (s *Spec) Kind() *Kind { return s.kinds.find(s.Algorithm.Kind) }

// Story describes in a clause how the spec's algorithm trains.
func (s *Spec) Story() string {
	kind := s.Kind()
	if s.Algorithm.Tokens < 2 {
		return kind.Story
	}
	return fmt.Sprintf(kind.Many, s.Algorithm.Tokens)
}

// chooseKind reads the kind ahead of the other keys, because the kind decides which own keys are read with them.
func (s *Spec) chooseKind(doc *yamltext.Document) error {
	ahead := struct {
		Algorithm struct {
			Kind any `yaml:"kind"`
		} `yaml:"algorithm"`
	}{}
	if doc.Glance(&ahead) != nil {
		return nil // the decoder of the spec says it better
	}
	if kind, ok := ahead.Algorithm.Kind.(string); ok {
		if err := OneOf("algorithm.kind", kind, s.kinds.Names()...); err != nil {
			return err
		}
		s.Algorithm.Kind = kind
	}
	s.takeKeys()
	return nil
}

// takeKeys puts the keys that only the spec's kind has into it, with their defaults.
func (s *Spec) takeKeys() {
	if kind := s.Kind(); kind != nil {
		s.Algorithm.Own = kind.Family.Keys()
	}
}

// plainAlgorithm is an Algorithm that is decoded field by field.
type plainAlgorithm Algorithm

// UnmarshalYAML reads the common keys and, as if they stood among them, those that
// Own points to.
func (a *Algorithm) UnmarshalYAML(unmarshal func(any) error) error {
	own := a.Own
	fields := []reflect.StructField{}
	for field := range fieldsOf(reflect.TypeFor[plainAlgorithm]()) {
		if field.Name != "Own" {
			fields = append(fields, field)
		}
	}
	common := len(fields)
	if own != nil {
		for field := range fieldsOf(reflect.TypeOf(own).Elem()) {
			fields = append(fields, field)
		}
	}
	whole := reflect.New(reflect.StructOf(fields)).Elem()
	place := func(i int) reflect.Value {
		if i < common {
			return reflect.ValueOf(a).Elem().FieldByName(fields[i].Name)
		}
		return reflect.ValueOf(own).Elem().FieldByName(fields[i].Name)
	}
	for i := range fields {
		whole.Field(i).Set(place(i))
	}
	if err := unmarshal(whole.Addr().Interface()); err != nil {
		return err
	}
	for i := range fields {
		place(i).Set(whole.Field(i))
	}
	return nil
}

// fieldsOf iterates over the fields of a struct.
func fieldsOf(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// elsewhere returns the error for a key that only other kinds have. It returns nil if no kind has the key.
func (s *Spec) elsewhere(key string) error {
	var owners, owned []string
	for _, kind := range s.kinds {
		if keys := keys(reflect.TypeOf(kind.Family.Keys()), nil, nil); slices.Contains(keys, key) {
			owners, owned = append(owners, kind.Name), keys
		}
	}
	if owners == nil {
		return nil
	}
	return invalid(fmt.Sprintf("algorithm: %s takes no %s", s.Algorithm.Kind, either(owned)), "leave them out, or use kind: "+either(owners))
}

// either joins words with commas and a final "or".
func either(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
