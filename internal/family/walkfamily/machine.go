package walkfamily

import (
	"context"
	"maps"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Machine implements family.Algorithm.
func (a *Algorithm) Machine(own family.Participant) family.Machine {
	p := a.real()
	hopper := func(p *walk.Protocol) *walk.Hopper {
		return walk.NewHopper(p, own.Noise, walk.Drawn{Choose: a.Choose, Rand: own.Router.Rand})
	}
	if a.PublicRoute {
		p.Holder = a.holder()
		hopper = func(p *walk.Protocol) *walk.Hopper {
			return walk.NewHopper(p, own.Noise, walk.NewSeeded(a.Choose, a.Spec.Seed))
		}
	}
	var m machine
	if p.AllTokens() > 1 {
		m = walk.NewTokens(&p, own.ID, own.Neighbours, own.Examples, hopper)
	} else {
		m = walk.NewMachine(&p, own.ID, own.Neighbours, own.Examples, hopper(&p))
	}
	if turns, ok := a.Absence(own.ID); ok && !a.PublicRoute {
		m.Expect(turns)
	}
	ended := func() []float64 {
		last, _ := m.Ended()
		return last
	}
	over := func() bool {
		_, known := m.Ended()
		return known
	}
	return family.Machine{Durable: m, Model: ended, Contributions: m.Contributions, Over: over, Source: m.Source}
}

// A machine runs one token or several.
type machine interface {
	step.Durable
	Expect(turns int)
	Ended() (model []float64, ended bool)
	Contributions() int
	Source() (from step.NodeID, disputed bool)
}

// real returns the protocol of a real run: it announces the end, and treats silent holders as the spec says.
func (a *Algorithm) real() walk.Protocol {
	p, real := *a.Protocol, a.Spec.Federation
	p.Announce = true
	if real.Unreachable == "around" {
		p.Handover.Around = int(real.Patience / real.Tick)
	}
	p.Handover.Lease = int(real.Lease / real.Tick)
	return p
}

// falseAlarm is the probability that a run stops because some participant takes the true token, after a long absence, for a
// forged one.
const falseAlarm = 1e-9

// Absence returns the largest number of turns that a token stays away from a participant, except with probability falseAlarm.
func (a *Algorithm) Absence(v step.NodeID) (turns int, ok bool) {
	if a.Transition == nil {
		return 0, false
	}
	total := float64(a.Turns())
	turns, ok = a.Transition.Absence(int(v), falseAlarm/(float64(a.hops())*float64(a.Spec.Nodes)), int(total))
	return turns + 1, ok
}

// Conditions implements family.Algorithm.
func (a *Algorithm) Conditions() []string { return nil }

// OnGrid implements family.Algorithm.
func (a *Algorithm) OnGrid(energy, slack float64) float64 {
	return family.HopsOnGrid(energy, a.Contributions(), a.hops(), slack)
}

// Active implements family.Algorithm. It is false, because a token that comes back with another model is not covered.
func (a *Algorithm) Active() bool { return false }

// Towards implements family.Algorithm.
func (a *Algorithm) Towards(ctx context.Context, u int) ([]*walkpath.Law, error) {
	if a.Spec.Privacy.Accountant == report.LocalAccountant {
		laws := family.LocalLaws(a.Protocol.Cap, a.Protocol.Noise, a.Spec.Nodes, u)
		for _, law := range laws {
			if law != nil {
				law.Besides = a.Besides
			}
		}
		return laws, nil
	}
	laws := make([]*walkpath.Law, a.Spec.Nodes)
	alike := a.alike(u)
	firsts := slices.Sorted(maps.Keys(alike))
	done := family.CountUp(family.WatchOf(ctx), len(firsts))
	err := sim.Each(ctx, len(firsts), runtime.GOMAXPROCS(0), func(_ context.Context, i int) error {
		law, err := a.PathWalk().Law(u, firsts[i])
		if err != nil {
			return err
		}
		for _, v := range alike[firsts[i]] {
			laws[v] = law
		}
		done()
		return nil
	})
	return laws, err
}

// Together implements family.Algorithm.
func (a *Algorithm) Together(ctx context.Context, u, size int, alone []*walkpath.Law) ([]walkpath.Coalition, error) {
	if a.Spec.Privacy.Accountant == report.LocalAccountant || a.Spec.FollowsFailures() {
		return nil, nil
	}
	w := a.PathWalk()
	if w.Watch == nil {
		w.Watch = &walkpath.Watch{Context: ctx}
	}
	return w.Coalitions(u, size, alone, runtime.GOMAXPROCS(0))
}

// alike groups the other nodes by the class of their pair with u, where the graph has symmetries that the accountant knows. The
// key of a group is its first node. The pairs of a group have one law for any start of the walk, for two reasons. Before the
// token first comes to u nothing of u is seen, and when that happens does not depend on the observer. After it a symmetry that
// keeps u maps one observer to the other.
func (a *Algorithm) alike(u int) map[int][]int {
	groups, first := map[int][]int{}, map[int]int{}
	class := func(_, v int) int { return v }
	if known, ok := a.symmetry(); ok {
		class = known
	}
	for v := range a.Spec.Nodes {
		if v == u {
			continue
		}
		k := class(u, v)
		if _, seen := first[k]; !seen {
			first[k] = v
		}
		groups[first[k]] = append(groups[first[k]], v)
	}
	return groups
}
