package family

import (
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// EarlierGround returns the assumption of a number of a run that begins with an earlier model. It returns nil for other runs.
// The loss is that of two runs with one start, whatever the start is. What the start has told is another mechanism's loss, and both
// add up as those of any two (adaptive composition).
func EarlierGround(s *spec.Spec) []string {
	e := s.Model.Earlier
	if e == nil {
		return nil
	}
	return []string{report.Begins + " (spec " + short(e.Spec) + "), a model that everybody may see at that run's losses; these are not in this number, and add to it for whoever's rows were in both"}
}

// EarlierNote says what an earlier model may do to scores. It returns "" if the run begins with none.
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
