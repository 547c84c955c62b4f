package family

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// EarlierGround returns the assumption of a number of a run that begins with an earlier model. It returns nil for other runs.
// The loss is that of two runs with one start, and holds for every start. The loss by the start is that of another mechanism, and both
// add up as those of any two (adaptive composition). Nothing checks that the numbers are a model of the run that is named.
func EarlierGround(s *spec.Spec) []string {
	e := s.Model.Earlier
	if e == nil {
		return nil
	}
	name := "spec " + short(e.Spec)
	if n := len(e.Before); n > 0 {
		name += fmt.Sprintf(", and through it %d more", n)
	}
	return []string{report.BeginsWith + " (" + name + "): this loss holds for any numbers to begin with, and leaves out the loss by these, which adds to it for everybody whose rows they tell of"}
}

// EarlierNote warns of scores that an earlier model may raise. It returns "" if the run begins with none.
func EarlierNote(s *spec.Spec) string {
	if s.Model.Earlier == nil {
		return ""
	}
	return "The model that the run begins with may have learnt from rows that are kept for testing now: scores may be too good."
}

// short abbreviates a hash for people.
func short(hash string) string {
	const digits = len("sha256:") + 12
	if len(hash) <= digits {
		return hash
	}
	return hash[:digits] + "..."
}
