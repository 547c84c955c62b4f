package gradientinversion

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A peeling reconstructs a run without noise node by node, exactly, however gradients change. Once a node's example is known its step
// can be inverted, so its messages determine the sum of its neighbours' messages that it had received. Nodes are assumed to hold one
// example each, which is checked if there are more equations than unknowns. If such sums determine a node's messages, the first one
// determines its example, and the next step can be inverted. Nothing is approximated. Rounding errors grow, and are tracked.
type peeling struct {
	attack    *Attack
	knowledge *Knowledge
	dim       int
	entries   [][]entry
	sent      []numbers // message of a node, by turn and node
	held      []numbers // its value before its step
	books     []*replay // of nodes whose example is known
	off       []float64 // of these: largest error of a number, if it was not peeled
	blur      []float64 // the same for all of these
	sums      map[sumKey]*sum
	unit      float64 // rounding of a message
	mostOff   float64 // largest error of a gradient, relative to its length
	work      float64 // multiplications left
}

// A numbers holds values and a bound on their rounding. A nil x is unknown.
type numbers struct {
	x   []float64
	off float64
}

// A sumKey names the nodes and weights of a sum. It holds the matrix, so that no other matrix can have the same address.
type sumKey struct {
	weights       *sparse.Matrix
	factor        float64 // of the weights at that turn, under acceleration
	rows, columns string  // the nodes, written as a list
}

// A sum holds the messages of some nodes that follow from sums of them.
type sum struct {
	left *mat.Dense  // an orthonormal basis of the possible sums
	rows [][]float64 // for each node: weights of the sums; nil: its message does not follow
}

const (
	// peelWork is the largest number of multiplications, some seconds.
	peelWork = 1e10
	// mostOff is the largest error of a gradient, relative to its length, from which an example is computed. littleOff is the same for
	// an example from which others are computed in turn. Larger errors are left to the joint search, because they grow from node to
	// node.
	mostOff, littleOff = 1e-8, 1e-10
	// distinct is the singular value, relative to the largest, above which sums count as independent.
	distinct = 1e-9
)

// peel reconstructs the run from the messages, as long as errors of gradients are at most mostOff.
func (a *Attack) peel(seen *Seen, largest, mostOff float64) *peeling {
	p := a.unpeeled(seen, largest)
	p.mostOff = mostOff
	for p.sweep() {
	}
	return p
}

// unpeeled returns the values known before peeling.
func (a *Attack) unpeeled(seen *Seen, largest float64) *peeling {
	k := a.knowledge
	size := k.Len() * int(k.protocol.Turns())
	p := &peeling{attack: a, knowledge: k, dim: seen.Dim, entries: k.allEntries(), sent: make([]numbers, size), held: make([]numbers, size),
		books: make([]*replay, k.Len()), off: make([]float64, k.Len()), blur: make([]float64, k.Len()), sums: map[sumKey]*sum{}, work: peelWork}
	off := largest * 0x1p-53
	p.unit, p.mostOff = off, mostOff
	for u := range k.Len() {
		*p.before(0, u) = numbers{k.begin(p.dim), 0}
	}
	for i, row := range k.rows {
		*p.after(int(row.Turn), row.Node) = numbers{seen.Heard[i*p.dim : (i+1)*p.dim], off}
	}
	for t, own := range seen.Own {
		for i, v := range k.attackers {
			*p.after(t, v) = numbers{own[i*p.dim : (i+1)*p.dim], off}
		}
	}
	return p
}

func (p *peeling) after(t, u int) *numbers { return &p.sent[t*p.knowledge.Len()+u] }

func (p *peeling) before(t, u int) *numbers { return &p.held[t*p.knowledge.Len()+u] }

// sweep goes through the turns backwards and forwards, and reports whether anything new became known.
func (p *peeling) sweep() (more bool) {
	turns := len(p.entries)
	for t := turns - 1; t >= 0; t-- {
		if t+1 < turns {
			more = p.solve(t) || more
		}
		more = p.link(t) || more
	}
	for t := range turns {
		more = p.link(t) || more
		if t+1 < turns {
			more = p.forward(t) || more
		}
	}
	return more
}

// link computes steps of nodes before turn t, forwards and backwards.
func (p *peeling) link(t int) (more bool) {
	acts := make([]*entry, p.knowledge.Len())
	for i := range p.entries[t] {
		acts[p.entries[t][i].node] = &p.entries[t][i]
	}
	for u := range acts {
		if p.knowledge.attacker[u] {
			continue
		}
		before, after, e := p.before(t, u), p.after(t, u), acts[u]
		switch {
		case before.x == nil && after.x == nil || e != nil && e.keep == 0:
		case before.x != nil && after.x != nil:
			if p.books[u] == nil && t == 0 && e != nil && e.contributes {
				p.books[u] = p.read(before, after, e)
				more = more || p.books[u] != nil
				p.blur[u] = (before.off + after.off) / e.rate
			}
		case e == nil || !e.contributes:
			keep := 1.0
			if e != nil {
				keep = e.keep
			}
			if before.x == nil {
				*before = numbers{divided(after.x, keep), after.off / math.Abs(keep)}
			} else {
				*after = numbers{divided(before.x, 1/keep), before.off}
			}
			more = true
		case p.books[u] != nil:
			more = p.step(u, before, after, e) || more
		}
	}
	return more
}

// read returns the example that a first message determines. It returns nil if there is none, or if the gradient is not that of one
// example.
func (p *peeling) read(before, after *numbers, e *entry) *replay {
	off := (before.off + after.off) / e.rate
	gradient := make([]float64, p.dim)
	for j := range gradient {
		gradient[j] = (float64(e.keep*before.x[j]) - after.x[j]) / e.rate
	}
	point, ok := p.attack.Inversion.Point(gradient)
	if !ok || !point.Exact || off > p.mostOff*floats.Norm(gradient, 2) {
		return nil
	}
	if clip := p.knowledge.protocol.LossClip(); !p.attack.Inversion.classifies() && floats.Norm(gradient, 2) > clip*(1-1e-6) {
		return nil // it was clipped, and the label is lost
	}
	r := p.attack.replayOf(&point, gradient)
	if r.point == nil || math.Abs(r.scale-1) > 1e-6 {
		return nil
	}
	return &r
}

// step takes a node's step, or inverts it if only one model can lead to the same value.
func (p *peeling) step(u int, before, after *numbers, e *entry) bool {
	r, scratch := p.books[u], make([]float64, p.dim)
	if before.x != nil {
		x := divided(before.x, 1/e.keep)
		sparse.Axpy(x, -e.rate, r.at(p.attack, scratch, x, e.keep))
		*after = numbers{x, float64(before.off*2) + float64(e.rate*p.off[u])}
		return true
	}
	bend := p.bend(r) * e.rate / math.Abs(e.keep)
	if !(bend < 0.9) { // several models may lead to it
		return false
	}
	x := slices.Clone(after.x) // before the step, times keep
	for range 400 {
		next := slices.Clone(after.x)
		sparse.Axpy(next, e.rate, r.at(p.attack, scratch, x, e.keep))
		moved := floats.Distance(next, x, 2)
		x = next
		if moved <= 0x1p-52*floats.Norm(x, 2) {
			break
		}
	}
	*before = numbers{divided(x, e.keep), (after.off + float64(e.rate*p.off[u]) + float64(0x1p-52*floats.Norm(x, 2))) / (1 - bend)}
	return true
}

// bend returns the smoothness of the loss on an example: the Lipschitz constant of its gradient.
func (p *peeling) bend(r *replay) float64 {
	ex := model.Examples{Features: len(r.point.X), X: r.point.X, Y: []float64{r.label}}
	return p.knowledge.protocol.Objective.LossSmoothnessOn(ex)
}

// forward computes the values of nodes after a turn in which all their inputs are known.
func (p *peeling) forward(t int) (more bool) {
	k := p.knowledge
	w := k.weights.Matrix(step.Turn(t))
	for v := range k.Len() {
		if k.attacker[v] || p.before(t+1, v).x != nil {
			continue
		}
		known, open, ok := p.received(w, t, v)
		if ok && len(open) == 0 {
			*p.before(t+1, v) = known
			more = true
		}
	}
	return more
}

// received returns the known part of a node's value after a turn, and the nodes whose messages are missing in it.
func (p *peeling) received(w *sparse.Matrix, t, v int) (known numbers, open []int, ok bool) {
	a, c := p.knowledge.protocol.Coefficients(step.Turn(t))
	known.x = make([]float64, p.dim)
	if c != 0 {
		last := p.after(t-1, v)
		if last.x == nil {
			return known, nil, false
		}
		sparse.Axpy(known.x, c, last.x)
		known.off = math.Abs(c) * last.off
	}
	columns, values := w.Row(v)
	for i, u := range columns {
		if values[i] == 0 {
			continue
		}
		sent := p.after(t, int(u))
		if sent.x == nil {
			open = append(open, int(u))
			continue
		}
		sparse.Axpy(known.x, a*values[i], sent.x)
		known.off += float64(math.Abs(a*values[i]) * sent.off)
	}
	return known, open, true
}

// solve computes messages of turn t from known sums of them.
func (p *peeling) solve(t int) (more bool) {
	k := p.knowledge
	w := k.weights.Matrix(step.Turn(t))
	group := newGroups(k.Len())
	type equation struct {
		node int
		sum  numbers
		open []int
	}
	var all []equation
	for v := range k.Len() {
		after := p.before(t+1, v)
		if k.attacker[v] || after.x == nil {
			continue
		}
		known, open, ok := p.received(w, t, v)
		if !ok || len(open) == 0 {
			continue
		}
		floats.SubTo(known.x, after.x, known.x)
		known.off += after.off
		all = append(all, equation{v, known, open})
		for _, u := range open[1:] {
			group.join(open[0], u)
		}
	}
	parts, order := map[int][]equation{}, []int(nil)
	for _, e := range all {
		g := group.of(e.open[0])
		if parts[g] == nil {
			order = append(order, g)
		}
		parts[g] = append(parts[g], e)
	}
	for _, g := range order {
		part := parts[g]
		var rows, columns []int
		for _, e := range part {
			rows = append(rows, e.node)
			columns = append(columns, e.open...)
		}
		slices.Sort(columns)
		columns = slices.Compact(columns)
		s := p.sum(w, t, rows, columns)
		if s.rows == nil {
			continue
		}
		sums := mat.NewDense(len(part), p.dim, nil)
		off := 0.0
		for i, e := range part {
			sums.SetRow(i, e.sum.x)
			off = max(off, e.sum.off)
		}
		if !s.agrees(sums, off) {
			continue
		}
		for j, u := range columns {
			if s.rows[j] == nil {
				continue
			}
			x, off := make([]float64, p.dim), 0.0
			for i, e := range part {
				sparse.Axpy(x, s.rows[j][i], e.sum.x)
				off += float64(s.rows[j][i] * s.rows[j][i] * e.sum.off * e.sum.off)
			}
			*p.after(t, u) = numbers{x, math.Sqrt(off)}
			more = true
		}
	}
	return more
}

// sum returns the messages of the nodes columns that follow from the sums that the nodes rows received. Its rows are nil if that takes
// too long.
func (p *peeling) sum(w *sparse.Matrix, t int, rows, columns []int) *sum {
	a, _ := p.knowledge.protocol.Coefficients(step.Turn(t))
	key := sumKey{w, a, fmt.Sprint(rows), fmt.Sprint(columns)}
	if s, ok := p.sums[key]; ok {
		return s
	}
	p.sums[key] = &sum{}
	m, n := float64(len(rows)), float64(len(columns))
	if p.work -= float64(14 * m * n * min(m, n)); p.work < 0 {
		return p.sums[key]
	}
	b := mat.NewDense(len(rows), len(columns), nil)
	for i, v := range rows {
		cols, values := w.Row(v)
		for l, u := range cols {
			if j, ok := slices.BinarySearch(columns, int(u)); ok {
				b.Set(i, j, a*values[l])
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(b, mat.SVDThin) {
		return p.sums[key]
	}
	values := svd.Values(nil)
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	kept := 0
	for kept < len(values) && values[kept] > distinct*values[0] {
		kept++
	}
	s := &sum{left: mat.DenseCopyOf(left.Slice(0, len(rows), 0, kept)), rows: make([][]float64, len(columns))}
	for j := range columns {
		v := right.RawRowView(j)[:kept]
		if 1-sparse.Dot(v, v) > distinct {
			continue
		}
		s.rows[j] = make([]float64, len(rows))
		for l, x := range v {
			for i := range rows {
				s.rows[j][i] += left.At(i, l) * x / values[l]
			}
		}
	}
	p.sums[key] = s
	return s
}

// disagrees is the largest distance of sums from the possible ones, relative to the largest, if all examples are right.
const disagrees = 1e-7

// agrees reports whether some messages have such sums. None need if a node holds more than the one example assumed.
func (s *sum) agrees(sums *mat.Dense, off float64) bool {
	var along, back mat.Dense
	along.Mul(s.left.T(), sums)
	back.Mul(s.left, &along)
	back.Sub(&back, sums)
	return mat.Norm(&back, 2) <= float64(disagrees*mat.Norm(sums, 2))+float64(100*off)
}

// groups holds disjoint sets of nodes.
type groups []int

func newGroups(n int) groups {
	g := make(groups, n)
	for u := range g {
		g[u] = u
	}
	return g
}

func (g groups) of(u int) int {
	for g[u] != u {
		g[u] = g[g[u]]
		u = g[u]
	}
	return u
}

func (g groups) join(u, v int) { g[g.of(u)] = g.of(v) }
