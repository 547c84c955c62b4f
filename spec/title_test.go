package spec_test

import (
	"testing"

	"github.com/hearsay-dp/hearsay/spec"
)

func TestASpecWithoutANameIsCalledByWhatItRuns(t *testing.T) {
	s := &spec.Spec{Name: "mine", Graph: "ring:4", Algorithm: spec.Algorithm{Kind: "walk"}}
	for _, want := range []string{"mine", "walk on ring:4", "walk"} {
		if got := s.Title(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if s.Name == "" {
			s.Graph = ""
		}
		s.Name = ""
	}
}
