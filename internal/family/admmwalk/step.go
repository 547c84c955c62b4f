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

// A Step is what a spec says of the updates of ADMM, whoever carries the mean.
type Step struct {
	Gamma     float64 // of the proximal operators; 0: from the losses' smoothness
	Lambda    float64 // how far towards its reflection a variable goes
	Tolerance float64 // what proximal points may be off by, over gamma times clip; 0: far less than what noise hides
}

// Check holds what its numbers may be.
func (s Step) Check() error {
	return spec.CheckAll(
		spec.Number{Key: "algorithm.gamma", Value: s.Gamma, Low: 0, High: 1e9},
		spec.Number{Key: "algorithm.lambda", Value: s.Lambda, Low: 0, High: 1, Open: true},
		spec.Number{Key: "algorithm.tolerance", Value: s.Tolerance, Low: 0, High: 0.1},
	)
}

// Local is the update that is made of the step l of what h holds, with what the spec leaves
// open filled in.
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

// usualGamma is half of the largest step of gradient descent on the losses, 1/beta: with more, a
// node goes further after its own rows than is of use to others, and with less it takes more
// rounds. Of losses with a corner, or rows that nothing bounds, it is 1.
func usualGamma(h *family.Holdings) float64 {
	if beta := h.Guarantees.Smoothness() - h.Objective.L2; beta > 1e-9 && beta < 1e9 {
		return 1 / beta
	}
	return 1
}
