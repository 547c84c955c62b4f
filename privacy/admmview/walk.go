package admmview

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
)

// A Walk describes decentralised ADMM (002, Algorithm 8.4) on any graph. A token carries the mean of all variables, and its holder
// updates its own. The schedule gives the start, the number of turns, the contributions of each node and whether the last token is
// shown to everybody.
type Walk struct {
	Step
	schedule.Walk                                      // of one token and constant steps
	AtCap         How                                  // how a node takes a turn that it skips or that is above its cap: Drifts or Stays
	Holds         func(node int) bool                  // whether a node has data; nil: all have. A node without data drifts
	Next          func(at, turn int, r *rand.Rand) int // the next holder; turns count from -BurnIn. nil: a uniform node, the holder included
}

func (w Walk) check(pairs []walkpath.Pair) error {
	if err := cmp.Or(w.Step.check(), w.CheckTokens()); err != nil {
		return err
	}
	switch n := w.Nodes; {
	case n < 1 || w.Turns < 1 || w.BurnIn < 0 || w.Start != schedule.AnyStart && (w.Start < 0 || w.Start >= n):
		return fault.New(fmt.Sprintf("a walk of %d turns from node %d of %d", w.Turns, w.Start, n), "give nodes, turns and a start")
	case w.AllTokens() > 1 || w.Power > 0 || w.Reroutes || w.EdgeCap > 0 || w.Walk.Besides > 0:
		return fault.New("ADMM by several tokens, by steps that change, on a path that depends on failures, with a cap per edge or with releases besides",
			"charge the local loss")
	case w.AtCap != Drifts && w.AtCap != Stays:
		return fault.New("a node at its cap that updates", "let it drift or stay")
	case len(pairs) == 0:
		return fault.New("no pair of nodes to account for", "name a node and an observer")
	}
	for _, p := range pairs {
		if p.U < 0 || p.V < 0 || p.U >= w.Nodes || p.V >= w.Nodes || p.U == p.V {
			return fault.New(fmt.Sprintf("the pair (%d, %d) in a graph of %d nodes", p.U, p.V, w.Nodes), "give two different nodes")
		}
	}
	return nil
}

// Sample draws paths and plans, for each pair, for the tokens that V sees about U: those of its own turns, and the last one if it is
// released. It costs a plan for each pair and path (docs/ADMM.md, "The plan in use").
func (w Walk) Sample(d Drawing, pairs []walkpath.Pair) ([]*walkpath.Sample, error) {
	if err := w.check(pairs); err != nil {
		return nil, err
	}
	if w.Next == nil && w.W != nil {
		return nil, fault.New("a simulation of paths on a graph does not know how to hop", "give its Next")
	}
	all, err := d.energies(len(pairs), func(r *rand.Rand, energies []float64) {
		turns := w.Path(r)
		for i, p := range pairs {
			energies[i] = w.Energy(turns, p.U, func(node int) bool { return node == p.V })
		}
	})
	if err != nil {
		return nil, err
	}
	samples := make([]*walkpath.Sample, len(pairs))
	for i := range samples {
		samples[i] = d.sample(func(run int) float64 { return all[run][i] }, w.Most(), w.claim(d.stands()))
	}
	return samples, nil
}

// A Visit is a turn of a walk. Idle says that the holder passes the token on unchanged.
type Visit struct {
	Turn
	Idle bool
}

// Path draws the turns after the burn-in.
func (w Walk) Path(r *rand.Rand) []Visit {
	next := w.Next
	if next == nil {
		next = func(_, _ int, r *rand.Rand) int { return r.IntN(w.Nodes) }
	}
	at := w.Start
	if at == schedule.AnyStart {
		at = r.IntN(w.Nodes)
	}
	for turn := -w.BurnIn; turn < 0; turn++ {
		at = next(at, turn, r)
	}
	used, visits := make([]int32, w.Nodes), make([]Visit, w.Turns)
	for turn := range visits {
		visits[turn] = w.visit(at, used, r)
		at = next(at, turn, r)
	}
	return visits
}

// visit returns the turn of one holder. used counts the contributions of each node.
func (w Walk) visit(at int, used []int32, r *rand.Rand) Visit {
	data := w.Holds == nil || w.Holds(at)
	if w.Skip > 0 && r.Float64() < w.Skip || w.Cap > 0 && int(used[at]) >= w.Cap {
		return Visit{Turn{at, w.AtCap}, w.Forward}
	}
	if !data {
		return Visit{Turn{at, Drifts}, w.Forward}
	}
	used[at]++
	return Visit{Turn: Turn{Holder: at}}
}

// Energy returns the energy about u of one public path, in the units of Step. seen reports whether a node is an observer. The
// observers are one node or all members of a coalition.
func (w Walk) Energy(visits []Visit, u int, seen func(node int) bool) float64 {
	p, since := NewPlan(w.Step, w.Nodes, u), []Turn(nil)
	for _, v := range visits {
		if seen(v.Holder) {
			p.Seen(since)
			since = since[:0]
		} else if !v.Idle {
			since = append(since, v.Turn)
		}
	}
	if w.Final {
		p.Seen(since)
	}
	return p.Energy()
}

// Energies returns the energies of pairs on one path, each with V alone as observer, computed in parallel. It costs a plan for each
// pair (docs/ADMM.md, "The plan in use").
func (w Walk) Energies(visits []Visit, pairs []walkpath.Pair, workers int) ([]float64, error) {
	if err := w.check(pairs); err != nil {
		return nil, err
	}
	energies := make([]float64, len(pairs))
	parallel.Each(len(pairs), workers, func(k int) {
		v := pairs[k].V
		energies[k] = w.Energy(visits, pairs[k].U, func(node int) bool { return node == v })
	})
	return energies, nil
}

// Claim returns the claim of Energy.
func (w Walk) Claim() privacy.Claim { return w.claim() }

func (w Walk) claim(besides ...string) privacy.Claim {
	claim := w.Step.claim("ADMM, walk", append([]string{
		"the token carries the mean of all variables; an observer sees it in its own turns, and the last one if it is released", passive,
	}, besides...)...)
	claim.Final = w.Final
	return claim
}
