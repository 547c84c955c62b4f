package price

import (
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A WalkQuestion holds the settings of `hearsay privacy walk`.
type WalkQuestion struct {
	form.GraphQuestion
	Between
	Steps, Contributions, Paths, BurnIn  int
	Tokens, EdgeCap                      int
	Sigma, Alpha, Power, Skip            float64
	Delta                                float64 // above 0: epsilon at that delta instead of Renyi divergence
	Sender, Accountant, Condition, Start string
	Final                                bool
	Cache                                form.Cache
}

// metric returns the metric of the losses.
func (f *WalkQuestion) metric() privacy.Metric {
	if f.Delta != 0 {
		return privacy.Metric{Delta: f.Delta}
	}
	return privacy.Metric{Order: f.Alpha}
}

// Answer answers the question.
func (f *WalkQuestion) Answer() (*WalkAnswer, error) {
	w, err := f.Open()
	if err != nil {
		return nil, err
	}
	if err := f.find(w.Graph()); err != nil {
		return nil, err
	}
	if err := f.check(w.Len()); err != nil {
		return nil, err
	}
	if err := f.checkColluders(); err != nil {
		return nil, err
	}
	s, own, err := f.walk(w)
	if err != nil {
		return nil, err
	}
	a := &WalkAnswer{N: w.Len(), graph: w.Graph()}
	if f.oneSide() {
		if f.v >= 0 {
			a.Observer = &f.v
		} else {
			a.About = &f.u
		}
	}
	switch covers := own.CheckPublished("--accountant published", "use --accountant path, which takes any matrix"); {
	case f.Accountant == "published" && covers != nil:
		return nil, covers
	case f.Accountant == "path", f.Accountant == "all" && (f.simulatedOnly() || f.oneSide()):
	case covers != nil:
		a.Accountants.Refused = Refused{"published": covers.Error()}
	default:
		if a.Accountants.Published, err = f.published(s); err != nil {
			return nil, err
		}
	}
	if f.Accountant != "published" {
		if a.Accountants.Path, err = f.path(w, s, own); err != nil {
			return nil, err
		}
	}
	a.Accountants.Local, err = f.local(s.Most())
	return a, err
}

// checkColluders refuses colluders if no accountant prices them.
func (f *WalkQuestion) checkColluders() error {
	if len(f.Pool) == 0 {
		return nil
	}
	if !f.onePair() || f.Accountant != "path" || f.simulatedOnly() || f.Paths > 0 {
		return fault.New("--colluders are priced by the law of the path, for one node and observer",
			"give --u, --v and --accountant path, without --paths")
	}
	return nil
}
