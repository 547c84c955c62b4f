package tokens

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// Limits on laws of single pairs and of coalitions: lawWork in products with an entry of the transition matrix, and
// mostTried in removed edges.
const (
	lawWork   = 1e10
	mostTried = 64
)

// allow computes the loss that the sound accountant allows, by the account of a pair or by a law of the set.
func (w *walkAttack) allow(ctx context.Context) error {
	if w.answer.Sigma == 0 {
		w.everywhere(func(t *Target) { t.Sound, t.Accountant = report.Number(math.Inf(1)), report.LocalAccountant })
		return nil
	}
	w.stage("what the accountant allows")
	budget, left := int(lawWork/w.lawCost(len(w.sets[0]))), 0
	for k := range w.answer.Attacks {
		one := &w.answer.Attacks[k]
		for done, i := range mostExposed(one.Targets) {
			t := &one.Targets[i]
			if account := w.account(t.Node, one.Attackers); account != nil {
				t.Sound, t.Accountant = report.Number(account.At(t.Node, one.Attackers[0])), account.Accountant
				continue
			}
			if budget--; budget < 0 {
				left++
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			w.pulse.Progress(done, len(one.Targets))
			law, _, err := w.law(t.Node, one.Attackers)
			if err != nil {
				return err
			}
			if law == nil {
				t.Sound, t.Accountant = report.Number(math.Inf(1)), report.LocalAccountant
				continue
			}
			loss, err := law.Loss(float64(w.answer.Sigma), w.metric)
			if err != nil {
				return err
			}
			t.Sound, t.Accountant = report.Number(loss), law.Accountant
		}
	}
	if left > 0 {
		w.answer.Notes = append(w.answer.Notes, fmt.Sprintf("Of %d pairs, the least exposed, the sound number was not worked out: that would take too long.", left))
	}
	return nil
}

// mostExposed returns the targets in the order of the attackers' information, largest first.
func mostExposed(targets []Target) []int {
	order := make([]int, len(targets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(targets[b].energy, targets[a].energy) })
	return order
}

// lawCost returns the approximate cost of one law.
func (w *walkAttack) lawCost(members int) float64 {
	entries := float64(w.Spec.Nodes)
	if w.carriage.Walk != nil && w.carriage.Walk.W != nil {
		entries = float64(len(w.carriage.Walk.W.Columns))
	}
	return 1e8 + float64(float64(w.carriage.Lanes)*float64(w.carriage.Updates.Turns)*entries*float64(members+2))
}

// law returns a bound on the information of a set about a node. It is the law of the account that prices the pair, if
// that account keeps laws.
func (w *walkAttack) law(u int, set []int) (law *walkpath.Law, kept bool, err error) {
	if a := w.account(u, set); a != nil && a.Law != nil {
		if law := a.Law(u, set[0]); law != nil {
			return law, true, nil
		}
	}
	key := fmt.Sprint(u, set)
	if law, kept = w.laws[key]; kept {
		return law, true, nil
	}
	if law, err = w.carriage.Law(u, set); err == nil {
		w.laws[key] = law
	}
	return law, false, err
}

// account returns the best sound account of a pair. It returns nil if there is none, or if several nodes attack.
func (w *walkAttack) account(u int, set []int) (best *family.Account) {
	if len(set) > 1 {
		return nil
	}
	for i := range w.Accounting.Accounts {
		a := &w.Accounting.Accounts[i]
		if a.Status != report.Sound || a.At == nil || a.Audits != "" {
			continue
		}
		if loss := a.At(u, set[0]); !math.IsNaN(loss) && (best == nil || loss < best.At(u, set[0])) {
			best = a
		}
	}
	return best
}

// exposed finds for every node the sets that could reconstruct it without noise on this route.
func (w *walkAttack) exposed(ctx context.Context) error {
	if w.Graph == nil {
		w.answer.Notes = append(w.answer.Notes, "The token goes to all nodes alike, so everybody is everybody's neighbour: no coalitions without neighbours.")
		return nil
	}
	n, turns := float64(w.Spec.Nodes), float64(w.carriage.Lanes)*float64(w.carriage.Updates.Turns)
	rows := turns / n
	cost := float64(20*turns) + float64(rows*min(rows, n)*n)
	r := exposure.NewReach(int(exposure.Work/cost/8), w.reconstructedBy)
	if r.Budget < w.Spec.Nodes {
		w.answer.Nodes = exposure.Unlooked(w.Graph)
		w.answer.Notes = append(w.answer.Notes, fmt.Sprintf("On %d nodes coalitions were not looked at: that would take too long.", w.Spec.Nodes))
		return nil
	}
	x := &exposure.Search{Reach: r, Graph: w.Graph, Say: w.say}
	var err error
	w.answer.Nodes, err = x.All(ctx)
	return err
}

// reconstructedBy returns the nodes whose contributions a set singles out without noise, including the set.
func (w *walkAttack) reconstructedBy(set []int) ([]int, error) {
	if len(set) == w.Spec.Nodes {
		return set, nil
	}
	other := 0
	for slices.Contains(set, other) {
		other++
	}
	hidden, err := w.knowing(set, other)
	if err != nil {
		return nil, err
	}
	var receipts []walklikelihood.Receipt
	for _, list := range w.sights(w.tracks, set) {
		for _, s := range list {
			receipts = append(receipts, walklikelihood.Receipt{Sight: s})
		}
	}
	found := slices.Clone(set)
	for u, resolved := range walklikelihood.Solve(w.certain(hidden, receipts), w.Spec.Nodes).Resolved {
		if resolved {
			found = append(found, u)
		}
	}
	slices.Sort(found)
	return found, nil
}

// A doubt is a pair whose noise must be checked.
type doubt struct {
	set    []int
	target *Target
}

// stop finds the noise that suffices against all sets that were examined. For a single set it also finds edges whose
// removal helps.
func (w *walkAttack) stop(ctx context.Context) error {
	w.answer.Stop = Stop{Multiplier: notKnown, Eps: exposure.StopEps, Delta: exposure.StopDelta, Status: report.Sound}
	s := &w.answer.Stop
	w.stage("how much noise is enough")
	var all []doubt
	for k := range w.answer.Attacks {
		for i := range w.answer.Attacks[k].Targets {
			all = append(all, doubt{w.sets[k], &w.answer.Attacks[k].Targets[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b doubt) int { return cmp.Compare(b.target.Sound, a.target.Sound) }) // unknown ones last
	budget, looked, seen := max(1, int(lawWork/w.lawCost(1))), 0, map[*walkpath.Law]bool{}
	for i, d := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if budget <= 0 || looked > 0 && isDash(d.target.Sound) {
			break
		}
		w.pulse.Progress(i, len(all))
		law, kept, err := w.law(d.target.Node, d.set)
		if err != nil {
			return err
		}
		if looked++; law == nil {
			s.Multiplier, s.Accountant, s.Status = report.Number(math.Inf(1)), report.LocalAccountant, report.Sound
			break
		}
		if seen[law] {
			continue
		}
		if seen[law] = true; !kept {
			budget--
		}
		if enough := float64(s.Multiplier); !math.IsNaN(enough) && (math.IsInf(enough, 1) || law.Keeps(exposure.StopEps, exposure.StopDelta, enough)) {
			continue
		}
		multiplier := math.Inf(1) // no noise suffices
		if enough, err := law.Sigma(exposure.StopEps, privacy.Metric{Delta: exposure.StopDelta, Conversion: privacy.Tightest}); err == nil {
			multiplier = enough.Sigma
		}
		s.Multiplier, s.Accountant, s.Status, s.Assumptions = report.Number(multiplier), law.Accountant, report.Status(law.Status), law.Grounds()
	}
	if looked < len(all) {
		w.answer.Notes = append(w.answer.Notes, fmt.Sprintf("The noise that is enough is for the %d of %d pairs that lose most.", looked, len(all)))
	}
	if len(w.sets) == 1 {
		return w.edges(ctx)
	}
	return nil
}

// edges removes edges one by one, of the attackers and of the node with the largest loss, and reports how much smaller
// its loss becomes.
func (w *walkAttack) edges(ctx context.Context) error {
	one := &w.answer.Attacks[0]
	if w.Graph == nil || w.answer.Sigma == 0 || w.carriage.Walk == nil || w.carriage.Walk.W == nil || len(one.Targets) == 0 {
		return nil
	}
	worst := one.Targets[0]
	for _, t := range one.Targets {
		if t.Sound > worst.Sound {
			worst = t
		}
	}
	all := exposure.EdgesOf(w.Graph)
	some := slices.DeleteFunc(slices.Clone(all), func(e [2]int) bool {
		return e[0] != worst.Node && e[1] != worst.Node && !slices.Contains(one.Attackers, e[0]) && !slices.Contains(one.Attackers, e[1])
	})
	if most := min(mostTried, int(lawWork/w.lawCost(len(one.Attackers)))); len(some) > most {
		return nil
	}
	w.stage("looking for edges whose removal helps")
	for i, e := range some {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.pulse.Progress(i, len(some))
		after, ok, err := w.without(all, e, worst.Node)
		if err != nil {
			return err
		}
		if ok && after < 0.99*float64(worst.Sound) {
			w.answer.Stop.Edges = append(w.answer.Stop.Edges, Edge{e, worst.Node, worst.Sound, report.Number(after)})
		}
	}
	edges := w.answer.Stop.Edges
	slices.SortStableFunc(edges, func(e, f Edge) int { return cmp.Compare(e.After, f.After) })
	w.answer.Stop.Edges = edges[:min(exposure.MostEdges, len(edges))]
	return nil
}

// without returns the loss of a node on the graph without an edge. It returns false if that graph is not connected or
// has no such weights.
func (w *walkAttack) without(all [][2]int, e [2]int, u int) (float64, bool, error) {
	g, err := graph.FromEdges("without an edge", w.Spec.Nodes, slices.DeleteFunc(slices.Clone(all), func(f [2]int) bool { return e == f }))
	if err != nil || g.Connected() != nil {
		return 0, false, err
	}
	t, err := graph.NewTransition(g, w.Spec.Weights)
	if err != nil {
		return 0, false, nil // these weights do not exist there
	}
	walk := *w.carriage.Walk
	walk.W = t.Sparse()
	law, err := walkpath.Walk{Walk: walk}.CoalitionLaw(u, w.sets[0])
	if err != nil {
		return 0, false, err
	}
	loss, err := law.Loss(float64(w.answer.Sigma), w.metric)
	return loss, true, err
}

// worst finds for every node the set that learns most about it.
func (w *walkAttack) worst() {
	best := map[int]Row{}
	for k := range w.answer.Attacks {
		for i := range w.answer.Attacks[k].Targets {
			t := &w.answer.Attacks[k].Targets[i]
			if row, ok := best[t.Node]; !ok || more(t, row.Target) {
				best[t.Node] = Row{t, k}
			}
		}
	}
	for u := range w.Spec.Nodes {
		if row, ok := best[u]; ok {
			w.answer.rows = append(w.answer.rows, row)
			w.answer.Worst = append(w.answer.Worst, Worst{u, row.attack, row.Proved, row.Sound})
		}
	}
}

// A Row is a target and the number of its attack.
type Row struct {
	*Target
	attack int
}

// more reports whether one attack on a node learns more than another.
func more(a, b *Target) bool { return a.energy > b.energy }
