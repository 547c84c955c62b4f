package protocols

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
)

// checkSensitivities refuses a list that is not one valid sensitivity for each node.
func checkSensitivities(of []float64, nodes int) error {
	if err := schedule.Relatives(of).Check(nodes); err != nil {
		return fault.Wrap(err, "--sensitivities", "give one number above 0 and at most 1 for every node")
	}
	return nil
}

// eachLost returns a line with the loss of every node, its maximum and its mean over nodes. loss
// computes the loss of node u with a relative sensitivity.
func eachLost(name string, c privacy.Claim, of []float64, m privacy.Metric, loss func(u int, relative float64) (float64, error)) (Price, error) {
	all, sum := make([]report.Number, len(of)), 0.0
	for u, relative := range of {
		eps, err := loss(u, relative)
		if err != nil {
			return Price{Name: name}, err
		}
		all[u] = report.Number(eps)
		sum += eps / float64(len(of))
	}
	c.Assumptions = append(slices.Clone(c.Assumptions), "noise is the same at all nodes, and what each can change is public: what others do to a difference does not depend on its size")
	p := lost(name, c, float64(slices.Max(all)), m)
	least := float64(slices.Min(all))
	p.Mean, p.Least, p.Nodes = &sum, &least, all
	return p, nil
}

// energies returns the energy of every node of a ring, towards the colluders or the worst single
// node.
func (f *RingQuestion) energies() ([]float64, error) {
	ring, energies := f.ring(), make([]float64, f.Nodes)
	if len(f.Colluders) > 0 {
		return energies, ring.Energies(energies, f.Colluders...)
	}
	if f.Nodes > mostSensitive {
		return nil, fault.New(fmt.Sprintf("--sensitivities of %d nodes", f.Nodes), fmt.Sprintf("give up to %d nodes, or name --colluders", mostSensitive))
	}
	for u := range energies {
		for v := range f.Nodes {
			if v != u {
				energies[u] = max(energies[u], ring.Energy(u, v))
			}
		}
	}
	return energies, nil
}

// mostSensitive is the largest ring whose nodes are examined one by one.
const mostSensitive = 20_000

// soundEach adds the sound line for nodes with different sensitivities.
func (f *RingQuestion) soundEach(b *Bill) {
	_, claim, err := f.ring().Sound(1, f.metric(), f.Colluders...)
	var energies []float64
	if err == nil {
		energies, err = f.energies()
	}
	if err != nil {
		b.add(privacy.Sound, Price{Name: "sound"}, err)
		return
	}
	worst := 0.0
	for u, relative := range f.Sensitivities {
		energies[u] *= relative * relative * (1 + 0x1p-50)
		worst = max(worst, energies[u])
	}
	if f.Eps != 0 {
		cal, err := privacy.TightGaussian(worst, f.Eps, f.metric())
		b.add(privacy.Sound, tightened("sound", claim, cal), err)
		return
	}
	p, err := eachLost("sound", claim, f.Sensitivities, f.metric(), func(u int, _ float64) (float64, error) {
		return privacy.GaussianLoss(energies[u], f.Sigma, f.metric()), privacy.CheckSigma(f.Sigma)
	})
	b.add(privacy.Sound, p, err)
}

// soundEach adds the sound line for nodes with different sensitivities. On the complete graph
// nodes are otherwise alike.
func (f *CompleteQuestion) soundEach(b *Bill) {
	var alike Bill
	one := *f
	one.Sensitivities = nil
	one.Sigma, one.Eps = 1, 0
	one.sound(&alike)
	if alike.failed != nil {
		b.add(privacy.Sound, Price{Name: "sound"}, alike.failed)
		return
	}
	claim := privacy.Claim{Accountant: alike.lines[0].Accountant, Status: privacy.Sound, Assumptions: alike.lines[0].Assumptions}
	at := func(_ int, relative float64) (float64, error) {
		var alike Bill
		one.Sigma = f.Sigma / relative
		one.sound(&alike)
		if alike.failed != nil {
			return 0, alike.failed
		}
		return float64(*alike.lines[0].Eps), nil
	}
	p, err := eachLost("sound", claim, f.Sensitivities, f.metric(), remembered(at))
	b.add(privacy.Sound, p, err)
}

// remembered caches the loss of each sensitivity.
func remembered(loss func(u int, relative float64) (float64, error)) func(u int, relative float64) (float64, error) {
	known := map[float64]float64{}
	return func(u int, relative float64) (float64, error) {
		if eps, found := known[relative]; found {
			return eps, nil
		}
		eps, err := loss(u, relative)
		known[relative] = eps
		return eps, err
	}
}
