package sumsfamily

import (
	"fmt"
	"iter"

	"github.com/hearsay-dp/hearsay/algo/sum"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Carriage implements family.Carrier for sums, whose noise is Gaussian. It refuses histograms.
func (a *Algorithm) Carriage() (*family.Carriage, error) {
	if isHistogram(a.Spec) {
		return nil, fault.New(fmt.Sprintf("algorithm.kind: answers of a %s are random and not noisy, and nobody attacks them", a.Spec.Algorithm.Kind), "attack a sum or a walk")
	}
	c := &family.Carriage{Lanes: 1, Sign: 1, Updates: a.updates(), Releases: a.releases, Quiet: a.quiet, Law: a.togetherLaw}
	if !isRing(a.Spec) {
		w := a.walk()
		c.Walk = &w
	}
	if !a.Public {
		c.Run = a.simulation
	}
	return c, nil
}

// share returns the noise of a turn over the usual noise.
func (a *Algorithm) share() func(turn int) float64 {
	if isRing(a.Spec) {
		return a.ring(a.protocol.Local).Share
	}
	return sum.Everywhere
}

// updates returns the public properties of the token's updates.
func (a *Algorithm) updates() walklikelihood.Updates {
	share := a.share()
	return walklikelihood.Updates{
		Turns: a.protocol.Steps, Final: a.protocol.Final, Initial: a.protocol.Begin(),
		Size: func(int) float64 { return 1 }, Keep: func(int, bool) float64 { return 1 },
		Noise: func(_ step.Release, update int) float64 { return share(update) },
	}
}

// simulation returns the run of a seed, as Trial makes it.
func (a *Algorithm) simulation(seed uint64) *sim.Walk {
	protocol := *a.protocol
	if !isRing(a.Spec) {
		protocol.Start = walk.StartAt(a.Spec.Nodes, seed, 0)
	}
	return &sim.Walk{Protocol: &protocol, Holdings: a.Examples, Choose: a.choose(), Seed: seed, Scales: a.scales}
}

// releases returns the releases of the run of a seed, by the schedule.
func (a *Algorithm) releases(seed uint64, _ step.Lane) iter.Seq[step.Release] {
	var holds func(step.NodeID) bool
	if !a.Public {
		holds = func(v step.NodeID) bool { return a.Examples.Examples(v).Len() > 0 }
	}
	if isRing(a.Spec) {
		return a.ring(a.protocol.Local).Releases(holds)
	}
	start := a.protocol.Start
	if !a.Public && !a.Spec.Federated() {
		start = walk.StartAt(a.Spec.Nodes, seed, 0)
	}
	return a.walk().Releases(schedule.Path{Start: start, Next: walk.NewSeeded(a.choose(), seed).Next, Holds: holds})
}

// quiet returns a function that repeats a turn without its noise.
func (a *Algorithm) quiet() func(token []float64, r step.Release) {
	local := a.protocol.Local
	local.Noise.Multiplier = 0
	kernel := sum.NewAdder(a.share())(&local, noise.NewSimulated(0), nil)
	return func(token []float64, r step.Release) {
		if r.Contributed {
			ex := a.Examples.Examples(r.From)
			kernel.Contribute(token, &ex, a.scales[r.From], int(r.Turn), &r)
		}
	}
}

// togetherLaw bounds the joint leakage about u towards attackers. For a ring it is exact. It returns nil if u's value reaches
// them without noise.
func (a *Algorithm) togetherLaw(u int, attackers []int) (*walkpath.Law, error) {
	if !isRing(a.Spec) {
		return walkpath.Walk{Walk: a.walk(), Watch: a.Watch}.CoalitionLaw(u, attackers)
	}
	ring, energies := sums.RingOf(a.ring(a.protocol.Local)), make([]float64, a.Spec.Nodes)
	var places []int
	for _, v := range attackers {
		places = append(places, a.place[v])
	}
	if err := ring.Energies(energies, places...); err != nil {
		return nil, err
	}
	if math.IsInf(energies[a.place[u]], 1) { // its value reaches them without noise
		return nil, nil
	}
	return a.about(u, energies[a.place[u]], ring.Claim()), nil
}
