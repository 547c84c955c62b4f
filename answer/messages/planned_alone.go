package messages

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// aloneWork is the largest number of multiplications for the views of single attackers, about two minutes of a core.
// viewBlock is the number between two progress reports.
const aloneWork, viewBlock = 1e11, 1e9

// A solo holds the views of single attackers in a planned federation.
type solo struct {
	*audited
	found [][]int   // by attacker: the nodes that it reconstructs; nil: not examined
	most  []float64 // by node: largest leakage to a stranger
	worst []int     // that stranger; -1: none learns anything
	spent float64   // multiplications
	count int       // number of examined attackers
	few   int       // number of these that were chosen for their small degree
}

// viewWork returns an approximate upper bound on the multiplications for the view of some attackers, for a graph
// without symmetry.
func viewWork(g *graph.Graph, attackers []int, turns int) float64 {
	n, messages := float64(g.Len()), 0.0
	for _, v := range attackers {
		messages += float64(float64(turns)*float64(g.Degree(v))) + 1
	}
	messages = min(n, messages)
	return float64(4*n*messages*messages) + float64(1000*n)
}

// turnOf returns the order in which attackers are examined if there are too many for all. It alternates between the
// largest degrees, which see most, and the smallest, which cost least, so that both get equal time. few marks the
// latter.
func turnOf(g *graph.Graph, turns int) (order []int, few []bool) {
	byDegree := make([]int, g.Len())
	for v := range byDegree {
		byDegree[v] = v
	}
	slices.SortStableFunc(byDegree, func(v, w int) int { return cmp.Compare(g.Degree(w), g.Degree(v)) })
	var spent [2]float64
	for low, high := 0, len(byDegree)-1; low <= high; {
		side := 0
		if spent[1] < spent[0] {
			side = 1
		}
		v := byDegree[low]
		if side == 1 {
			v, high = byDegree[high], high-1
		} else {
			low++
		}
		spent[side] += viewWork(g, []int{v}, turns)
		order, few = append(order, v), append(few, side == 1)
	}
	return order, few
}

// look examines as many single attackers as the work limit allows, on all cores. It adds up the work.
func (s *solo) look(ctx context.Context) error {
	n, turns := s.Protocol.Nodes, int(s.Turns())
	order, few := turnOf(s.Graph, turns)
	for at := 0; at < n; {
		var block []int
		estimate := 0.0
		for ; at < n && (len(block) < 2 || estimate < viewBlock); at++ {
			if work := viewWork(s.Graph, order[at:at+1], turns); s.spent+estimate+work <= s.work {
				estimate += work
				block = append(block, order[at])
				if few[at] {
					s.few++
				}
			}
		}
		if err := s.views(ctx, block); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// views computes a block of views.
func (s *solo) views(ctx context.Context, block []int) error {
	if err := ctx.Err(); err != nil || len(block) == 0 {
		return err
	}
	s.say(fmt.Sprintf("attackers alone: %d of %d", s.count, s.Protocol.Nodes))
	views, failures := make([]*gossipview.View, len(block)), make([]error, len(block))
	parallel.Each(len(block), form.Workers(), func(i int) { views[i], failures[i] = s.accountant.Leaking(block[i : i+1]) })
	if err := cmp.Or(failures...); err != nil {
		return err
	}
	for i, v := range block {
		s.take(v, views[i])
	}
	s.count += len(block)
	return nil
}

// take stores the results of a view.
func (s *solo) take(v int, view *gossipview.View) {
	n, rank := float64(s.Protocol.Nodes), float64(view.Rank())
	s.spent += min(viewWork(s.Graph, []int{v}, int(s.Turns())), float64(4*float64(view.Cells())*rank*rank)+float64(1000*n))
	s.found[v] = view.Reconstructed()
	near := s.Graph.Neighbours(v)
	for u := range s.most {
		if u == v || slices.Contains(near, int32(u)) {
			continue
		}
		if l := view.Leakage(u); l > s.most[u] || l > 0 && l == s.most[u] && v < s.worst[u] {
			s.most[u], s.worst[u] = l, v
		}
	}
}

// exposed finds who could reconstruct each node without noise: first every single node, then coalitions. It also finds
// the leakage to the worst stranger.
func (x *audited) exposed(ctx context.Context, answer *PlannedAnswer) error {
	n := x.Protocol.Nodes
	s := &solo{audited: x, found: make([][]int, n), most: make([]float64, n), worst: make([]int, n)}
	for u := range s.worst {
		s.worst[u] = -1
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	answer.Looked = s.count
	if s.count < n {
		s.some(answer)
		return nil
	}
	for v, found := range s.found {
		x.look.Known[fmt.Sprint([]int{v})] = found
	}
	return s.coalitions(ctx, answer)
}

// coalitions continues with coalitions if all single nodes were examined.
func (s *solo) coalitions(ctx context.Context, answer *PlannedAnswer) error {
	x, n := s.audited, s.Protocol.Nodes
	each := s.spent / float64(n)
	budget := max(0, int(plannedWork/each)-n)
	kept := budget / 2 // for the steps that follow
	x.look.Budget = budget - kept
	nodes, err := x.look.All(ctx)
	if err != nil {
		return err
	}
	if x.look.Budget <= 0 {
		answer.Notes = append(answer.Notes, "Of some nodes coalitions were not looked at: that would take too long.")
	}
	x.look.Budget = kept + max(0, x.look.Budget)
	for u, node := range nodes {
		answer.Nodes = append(answer.Nodes, plannedNode{Exposed: node})
		if s.worst[u] < 0 {
			continue
		}
		one := &answer.Nodes[u]
		one.Stranger, one.Leakage, one.Multiplier = &s.worst[u], numbered(s.most[u]), numbered(exposure.EnoughNoise(s.most[u]))
		one.Floor, one.Epsilon = x.hidden(u, s.most[u], answer.Delta)
	}
	return nil
}

// all returns an approximate upper bound on the multiplications for the views of all attackers.
func (s *solo) all() (work float64) {
	for v := range s.Protocol.Nodes {
		work += viewWork(s.Graph, []int{v}, int(s.Turns()))
	}
	return work
}

// some adds the known results if not all attackers were examined.
func (s *solo) some(answer *PlannedAnswer) {
	n := s.Protocol.Nodes
	for _, node := range exposure.Unlooked(s.Graph) {
		answer.Nodes = append(answer.Nodes, plannedNode{Exposed: node})
	}
	for v, found := range s.found {
		for _, u := range found {
			if u != v && !slices.Contains(s.Graph.Neighbours(u), int32(v)) {
				answer.Nodes[u].Alone = append(answer.Nodes[u].Alone, v)
			}
		}
	}
	for u := range answer.Nodes {
		if node := &answer.Nodes[u]; len(node.Alone) > 0 {
			possible := true
			node.Possible, node.Beyond = &possible, &gradientinversion.Coalition{Low: 1, High: 1, Members: node.Alone[:1]}
		}
	}
	if s.count == 0 {
		answer.Notes = append(answer.Notes, fmt.Sprintf("On %d nodes and %d turns nobody but the attackers was looked at: that would take too long (--work).", n, answer.Turns))
		return
	}
	answer.Notes = append(answer.Notes, fmt.Sprintf("Of %d attackers alone %d were looked at, the %d with most neighbours and the %d with fewest; all would take about %s times as long (--work). "+
		"Who is not said to be reconstructed may be by others; coalitions, and how much of others strangers learn, were not looked at.",
		n, s.count, s.count-s.few, s.few, fmt.Sprintf("%.2g", s.all()/max(s.spent, 1))))
}
