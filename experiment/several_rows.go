package experiment

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// SeveralRows holds the losses of a person who gave several rows of one participant, all of them replaced at once.
type SeveralRows struct {
	Rows     int                           `json:"rows"`
	Accounts report.List[report.Accounted] `json:"accounts"` // bounds, in the order of the plan's
}

// ForRows prices the run for a person with that many rows (2 or more) of one participant, by every accountant of a bound in
// the plan. Replacing k rows one after the other moves a node's contribution by at most k times the change of one
// (triangle inequality), so that the loss is the one of a single row at noise sigma/k.
func (s *Priced) ForRows(rows int) (*SeveralRows, error) {
	if err := s.checkRows(rows); err != nil {
		return nil, err
	}
	m, err := family.Metric(&s.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	found, sigma := &SeveralRows{Rows: rows}, s.Accounting.Sigma/float64(rows)
	for i := range s.Accounting.Accounts {
		planned := &s.Accounting.Accounts[i]
		if planned.Part != nil || planned.Audits != "" || planned.Status != report.Sound && planned.Status != report.SoundIf {
			continue
		}
		a, err := planned.Again(s.Algorithm, sigma, m)
		if err != nil {
			return nil, err
		}
		found.Accounts = append(found.Accounts, a.Accounted)
	}
	return found, nil
}

// checkRows refuses runs of which the loss of several rows does not follow from the one of a row.
func (s *Priced) checkRows(rows int) error {
	noise := s.Spec.Kind().Noise
	switch {
	case rows < 2:
		return fault.New(fmt.Sprintf("--rows-each %d: the plan itself is for one row", rows), "give 2 or more")
	case !s.Spec.Records():
		return fault.New("--rows-each: all data of a participant are protected, however many rows they are", "leave --rows-each out, or set privacy.unit: record")
	case s.Spec.Data.Person != "":
		return fault.New("--rows-each: all rows of a person are protected together, and the plan says what they lose", "leave --rows-each out")
	case s.Accounting.Sigma == 0:
		return fault.New("--rows-each: without noise nothing bounds what others learn", "set privacy.sigma above 0, or privacy.calibrate")
	case noise != "":
		return fault.New(fmt.Sprintf("--rows-each: privacy.sigma counts %s, and no bound for several rows is known", noise), "use a kind with Gaussian noise")
	case s.Algorithm.Local().Noise.Sampled():
		return fault.New("--rows-each: rows are drawn one by one, and no bound for several of them together is worked out", "leave algorithm.sampling out")
	}
	return nil
}
