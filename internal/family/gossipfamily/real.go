package gossipfamily

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/sim"
)

// flows reports whether the spec's numbers are those of the flow accountant.
func (a *Algorithm) flows() bool { return a.Spec.Privacy.Accountant == flowName }

// Towards implements family.Algorithm. It returns the flow accountant's optimum towards each node, or the result of one plan
// for all where that would take too long.
func (a *Algorithm) Towards(ctx context.Context, u int) ([]*walkpath.Law, error) {
	switch {
	case a.cancels():
		return a.pairwiseLaws(u)
	case !a.flows():
		return family.LocalLaws(a.Charged(), a.Protocol.Noise, a.Spec.Nodes, u), nil
	}
	accountant, err := a.flow()
	if err != nil {
		return nil, err
	}
	n := a.Protocol.Nodes
	laws := make([]*walkpath.Law, n)
	if method := accountant.MethodFor(quickFlow); method != flow.Optimum {
		side, err := accountant.SideFrom(u, method, runtime.GOMAXPROCS(0))
		for v := range n {
			if v != u && err == nil {
				laws[v] = a.ofEnergy(accountant.Claim(), u, side.Values[v])
			}
		}
		return laws, err
	}
	done := family.CountUp(family.WatchOf(ctx), n-1)
	err = sim.Each(ctx, n, runtime.GOMAXPROCS(0), func(_ context.Context, v int) error {
		if v == u {
			return nil
		}
		best, err := accountant.Optimal(u, v)
		if err != nil {
			return err
		}
		laws[v] = a.ofEnergy(accountant.Claim(), u, best.Energy)
		done()
		return nil
	})
	return laws, err
}

// ofEnergy returns the law of a view of u with one energy, in units of the largest sensitivity. The law's Most limits the
// charge to that of all contributions seen alone. Energies of a law are in units of the node's own sensitivity.
func (a *Algorithm) ofEnergy(claim privacy.Claim, u int, energy float64) *walkpath.Law {
	law := &walkpath.Law{Claim: claim, Weights: []float64{1}, Most: a.Charged()}
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil {
		law.Relative = relatives[u]
		energy *= (1 + 0x1p-50) / (law.Relative * law.Relative)
	}
	law.Energies = []float64{energy}
	return law
}

// ownLaw returns the law towards v with another energy.
func ownLaw(laws []*walkpath.Law, v int, energy float64) *walkpath.Law {
	law := *laws[v]
	law.Energies = []float64{energy}
	return &law
}

// mostCoalitions is the largest number of coalitions that are priced one by one, if that takes at most quickFlow
// multiplications.
const mostCoalitions = 64

// Together implements family.Algorithm. If one observer learns everything, the worst coalition contains it and learns no more.
// Otherwise each coalition is priced if they are few. If they are many, one bound holds for all: the sum of the largest
// energies of single observers. It is a bound because a plan that absorbs as much as any of the observers' plans is a plan
// against all of them.
func (a *Algorithm) Together(ctx context.Context, u, size int, alone []*walkpath.Law) ([]walkpath.Coalition, error) {
	switch {
	case a.cancels():
		return a.pairwiseTogether(u, size)
	case !a.flows():
		return nil, nil
	}
	accountant, err := a.flow()
	if err != nil {
		return nil, err
	}
	others := []int{}
	for v, law := range alone {
		if law != nil {
			others = append(others, v)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	energy := func(v int) float64 { return alone[v].Energies[0] }
	slices.SortStableFunc(others, func(v, w int) int { return cmp.Compare(energy(w), energy(v)) })
	size = min(size, len(others))
	sum := 0.0
	for _, v := range others[:size] {
		sum += float64(energy(v) * (1 + 0x1p-50))
	}
	if size == 1 || energy(others[0]) >= float64(a.Charged()) {
		members := slices.Sorted(slices.Values(others[:size]))
		return []walkpath.Coalition{{Members: members, Law: ownLaw(alone, others[0], sum)}}, nil
	}
	all := subsets(others, size, mostCoalitions)
	if all == nil || float64(len(all))*accountant.EveryCost(nil)/float64(a.Protocol.Nodes*(a.Protocol.Nodes-1)) > quickFlow {
		return []walkpath.Coalition{{Law: ownLaw(alone, others[0], sum)}}, nil
	}
	found := make([]walkpath.Coalition, len(all))
	err = sim.Each(ctx, len(all), runtime.GOMAXPROCS(0), func(_ context.Context, i int) error {
		best, err := accountant.Optimal(u, all[i]...)
		if err == nil {
			found[i] = walkpath.Coalition{Members: all[i], Law: a.ofEnergy(accountant.Claim(), u, best.Energy)}
		}
		return err
	})
	return found, err
}

// subsets returns all subsets of a size, each ascending. It returns nil if there are more than most.
func subsets(of []int, size, most int) (all [][]int) {
	sorted := slices.Sorted(slices.Values(of))
	var grow func(chosen []int, from int) bool
	grow = func(chosen []int, from int) bool {
		if len(chosen) == size {
			all = append(all, slices.Clone(chosen))
			return len(all) <= most
		}
		for i := from; i <= len(sorted)-(size-len(chosen)); i++ {
			if !grow(append(chosen, sorted[i]), i+1) {
				return false
			}
		}
		return true
	}
	if !grow(make([]int, 0, size), 0) {
		return nil
	}
	return all
}

// OnGrid implements family.Algorithm. Contributions charged as public are priced at the noise multiplier, which includes the
// price of the grid.
func (a *Algorithm) OnGrid(energy, slack float64) float64 {
	switch {
	case a.cancels():
		return a.wholePlans(energy, slack)
	case !a.flows():
		return energy
	}
	return flow.Lifted(energy, slack/2, a.Draws()) // slack is two roundings
}

// Active implements family.Algorithm. The messages of observers are a function of their views, which is the same in both worlds
// (docs/FLOW.md, proof; docs/PAIRWISE.md).
func (a *Algorithm) Active() bool { return a.flows() || a.cancels() }

// Conditions implements family.Algorithm.
func (a *Algorithm) Conditions() []string {
	if a.flows() {
		return []string{fmt.Sprintf("every message of all %d turns has fresh noise of its own, also of participants who do not contribute, and a node goes on from what it sent", a.Turns())}
	}
	if a.cancels() {
		all := slices.Clone(pairwiseConditions)
		for _, note := range []string{a.hidesLittle(), a.remembers()} {
			if note != "" {
				all = append(all, note)
			}
		}
		return all
	}
	why := Family{}.OnlyLocal(a.Spec)
	if why == "" {
		why = "the spec asks for it (accountant: local)"
	}
	all := []string{"gossip is charged as if every message were public: " + why}
	if note := a.remembers(); note != "" {
		all = append(all, note)
	}
	return all
}
