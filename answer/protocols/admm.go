package protocols

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
)

// An ADMMQuestion holds the settings of `hearsay privacy admm`.
type ADMMQuestion struct {
	form.Asker
	Variant                       string
	Nodes, Rounds, Sampled, Takes int
	lipschitz, Gamma, Sigma, Eps  float64 // lipschitz: the largest
	Alpha, Delta                  float64
	Constants                     []float64
}

func (f *ADMMQuestion) metric() privacy.Metric {
	if f.Alpha != 0 {
		return privacy.Metric{Order: f.Alpha}
	}
	return privacy.Metric{Delta: f.Delta}
}

// Answer prices or calibrates ADMM. It returns an error if every accountant refuses.
func (f *ADMMQuestion) Answer() (*Bill, error) {
	if err := form.OneOf("--variant", f.Variant, "central", "federated", "decentralised"); err != nil {
		return nil, err
	}
	if f.Takes == 0 {
		f.Takes = f.Rounds
	}
	if len(f.Constants) == 0 || len(f.Constants) > 1 && len(f.Constants) != f.Nodes {
		return nil, fault.New(fmt.Sprintf("--lipschitz: %d constants of %d nodes", len(f.Constants), f.Nodes), "give one, or one a node")
	}
	f.lipschitz = slices.Max(f.Constants)
	a := admmview.Consensus{Lipschitz: f.lipschitz, Gamma: f.Gamma, Sigma: f.Sigma}
	var b Bill
	if f.Eps != 0 {
		f.calibrate(&b, a)
		return b.shown()
	}
	loss, claim, err := a.Local(f.Takes, f.metric())
	line := lost("sound", claim, loss, f.metric())
	if len(f.Constants) > 1 && err == nil {
		line, err = eachLost("sound", claim, f.Constants, f.metric(), remembered(func(_ int, lipschitz float64) (float64, error) {
			own := a
			own.Lipschitz = lipschitz
			loss, _, err := own.Local(f.Takes, f.metric())
			return loss, err
		}))
	}
	b.add(privacy.Sound, line, err)
	f.published(&b, a)
	return b.shown()
}

func (f *ADMMQuestion) calibrate(b *Bill, a admmview.Consensus) {
	noise, cal, err := a.LocalTight(f.Takes, f.Eps, f.metric())
	unit := a.WithMultiplier(1).Sigma
	cal.Sigma, cal.Low = cal.Sigma*unit, cal.Low*unit
	b.add(privacy.Sound, tightened("sound", noise.Claim, cal), err)
}

// published adds the theorem of the variant, at a Renyi order. For the federated
// variant it also adds the numerical accountants.
func (f *ADMMQuestion) published(b *Bill, a admmview.Consensus) {
	federated := admmview.Federated{Consensus: a, Rounds: f.Rounds, Sampled: f.Sampled, Users: f.Nodes}
	if f.Variant == "federated" {
		loss, claim, err := federated.Subsampled(f.metric())
		b.add(privacy.Published, lost("published, numerically", claim, loss, f.metric()), err)
		if f.Alpha == 0 {
			g, err := federated.Participations(f.Delta)
			b.add(privacy.Sound, guaranteed("sound, participations", g), err)
		}
	}
	if f.Alpha == 0 {
		b.add(privacy.Published, Price{Name: "published"}, fault.New("the theorem is about a Renyi order", "give --alpha"))
		return
	}
	loss, claim, err := f.theorem(a, federated)
	b.add(privacy.Published, lost("published", claim, loss, f.metric()), err)
}

func (f *ADMMQuestion) theorem(a admmview.Consensus, federated admmview.Federated) (float64, privacy.Claim, error) {
	switch f.Variant {
	case "central":
		return a.Central(f.Rounds, f.Nodes, f.Alpha)
	case "federated":
		return federated.Published(f.Alpha)
	}
	return a.Decentralised(f.Takes, f.Nodes, f.Alpha)
}
