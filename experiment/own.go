package experiment

import (
	"runtime"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// Own returns one participant's own report of a run of a federation, without its
// privacy: the public facts, the number of its rows, and the scores of model theta on
// them. A nil theta leaves the scores out.
func (s *Priced) Own(theta []float64, train, test model.Examples) (*report.Bundle, error) {
	own := *s.Holdings
	own.Train, own.Test = train, test
	r := &report.Result{
		Name: s.Spec.Title(), Algorithm: s.Spec.Algorithm.Kind, Story: s.Spec.Story(), Model: s.Spec.Model.Kind, Steps: int(s.Algorithm.Turns()),
		Data: dataFacts(&own), Graph: s.graphFacts(), Versions: map[string]string{"hearsay": Version(), "go": runtime.Version()},
	}
	if theta != nil {
		scorer := scorer{Holdings: &own, local: s.Algorithm.Local()}
		r.Final = scorer.final([]score{scorer.evaluate(theta, 1)})
	}
	return s.bundle(&report.Bundle{Result: r, Picture: s.picture()})
}
