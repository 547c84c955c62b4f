package admmwalk

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Step holds the spec's parameters of an update of ADMM, with a token or a server.
type Step struct {
	Gamma     float64 // of the proximal operators; 0: from the losses' smoothness
	Lambda    float64 // relaxation: fraction of the way of a variable to its reflection
	Tolerance float64 // largest error of proximal points, over gamma times clip; 0: far less than noise hides
}

// Check refuses parameters out of range.
func (s Step) Check() error {
	return spec.CheckAll(
		spec.Number{Key: "algorithm.gamma", Value: s.Gamma, Low: 0, High: 1e9},
		spec.Number{Key: "algorithm.lambda", Value: s.Lambda, Low: 0, High: 1, Open: true},
		spec.Number{Key: "algorithm.tolerance", Value: s.Tolerance, Low: 0, High: 0.1},
	)
}

// Local returns the ADMM update for the step l on the holdings h. It fills in the parameters that the spec leaves open.
func (s Step) Local(h *family.Holdings, l descent.Local) (admm.Local, error) {
	if _, ok := h.Objective.Model.(model.Margined); !ok {
		return admm.Local{}, fault.New(fmt.Sprintf("model.kind: proximal points of a %s model are not known", h.Objective.Name()),
			"use logistic, hinge, ridge or absolute, or kind: walk")
	}
	if err := h.CheckProximal(); err != nil {
		return admm.Local{}, err
	}
	if s.Gamma == 0 {
		s.Gamma = usualGamma(h)
	}
	least := 1.0
	if relatives := l.Noise.Relatives(); relatives != nil {
		least = slices.Min(relatives) * l.Noise.Sensitivity() / (2 * l.Noise.Clip)
	}
	if s.Tolerance == 0 {
		s.Tolerance = descent.Precise(h.Spec.Algorithm.Steps, least)
	}
	if room := admm.MostTolerance * least; h.Spec.Records() && s.Tolerance > room {
		return admm.Local{}, fault.New(fmt.Sprintf("algorithm.tolerance: %g, but one record is at least %.3g of what a node contributes, and the clip keeps %.3g free for what is off",
			s.Tolerance, least, room), "leave it out, or give at most that")
	}
	return admm.New(admm.Local{Local: l, Gamma: s.Gamma, Lambda: s.Lambda, Tolerance: s.Tolerance, Regulariser: h.Objective.Regulariser}), nil
}

// usualGamma returns 1/beta, half of the largest step of gradient descent on the losses. With a larger gamma a node follows its
// own rows further than is of use to others. With a smaller one the run needs more rounds. It returns 1 for losses with a kink,
// or rows without a bound.
func usualGamma(h *family.Holdings) float64 {
	if beta := h.Guarantees.Smoothness() - h.Objective.L2; beta > 1e-9 && beta < 1e9 {
		return 1 / beta
	}
	return 1
}
