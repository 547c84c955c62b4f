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

// A peeling takes a run without noise apart, node by node and exactly, whatever gradients do. Whoever's example is known is
// an open book: a step can be undone, so from what the node sends follows what it had received, a sum of what its
// neighbours sent. Nodes are taken to hold one example each, which is checked where there is more to know than to find. Where such sums give away what a node sends, the first of its messages tells its example, and it is
// the next open book. Nothing is approximated: only rounding grows, and is kept account of.
type peeling struct {
	attack    *Attack
	knowledge *Knowledge
	dim       int
	entries   [][]entry
	sent      []numbers // what a node sends, turn by turn and node by node
	held      []numbers // what it had before it took its step
	books     []*replay // of nodes whose example is known
	off       []float64 // of these: how far off a number of it may be, where that was not peeled
	blur      []float64 // of all of these
	sums      map[sumKey]*sum
	unit      float64 // of the rounding of a message
	mostOff   float64 // how far off a gradient may be, relative to its length
	work      float64 // multiplications that may still be done
}

// numbers are values and how far off rounding may be; nil: not known.
type numbers struct {
	x   []float64
	off float64
}

// A sumKey says whose messages a sum combines, by which weights. As a key it keeps the matrix, so that no other takes its place.
type sumKey struct {
	weights       *sparse.Matrix
	factor        float64 // of the weights at that turn, under acceleration
	rows, columns string  // the nodes, written as a list
}

// A sum is what of some nodes' messages follows from sums of them.
type sum struct {
	left *mat.Dense  // what sums can be: an orthonormal basis
	rows [][]float64 // for each node: what it takes of the sums; nil: it does not follow
}

const (
	// peelWork is how many multiplications it may take, and some seconds.
	peelWork = 1e10
	// mostOff is how far off a gradient may be that an example is told from, relative to its length, and littleOff that of one behind
	// which others are looked for: errors that grow from node to node are better left to all sums together.
	mostOff, littleOff = 1e-8, 1e-10
	// distinct is the singular value, over the largest, of sums that are told apart.
	distinct = 1e-9
)

// peel takes the run that was seen apart, as long as gradients are no further off.
func (a *Attack) peel(seen *Seen, largest, mostOff float64) *peeling {
	p := a.unpeeled(seen, largest)
	p.mostOff = mostOff
	for p.sweep() {
	}
	return p
}

// unpeeled is what is known before anything is taken apart.
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

// link follows what nodes do before turn t, there and back.
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

// read is the example that a first message tells of; nil if it tells of none, or of a gradient that is no example's.
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
		return nil // it was cut: the label is lost
	}
	r := p.attack.replayOf(&point, gradient)
	if r.point == nil || math.Abs(r.scale-1) > 1e-6 {
		return nil
	}
	return &r
}

// step takes a step, or undoes one where no other model can have led to the same.
func (p *peeling) step(u int, before, after *numbers, e *entry) bool {
	r, scratch := p.books[u], make([]float64, p.dim)
	if before.x != nil {
		x := divided(before.x, 1/e.keep)
		sparse.Axpy(x, -e.rate, r.at(p.attack, scratch, x, e.keep))
		*after = numbers{x, float64(before.off*2) + float64(e.rate*p.off[u])}
		return true
	}
	bend := p.bend(r) * e.rate / math.Abs(e.keep)
	if !(bend < 0.9) { // several models may lead there
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

// bend is how fast the gradient of an example changes at most.
func (p *peeling) bend(r *replay) float64 {
	ex := model.Examples{Features: len(r.point.X), X: r.point.X, Y: []float64{r.label}}
	return p.knowledge.protocol.Objective.LossSmoothnessOn(ex)
}

// forward is what nodes have after a turn in which all that they received is known.
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

// received is what a node has after a turn of what is known to have been sent, and whose messages are missing in it.
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

// solve finds what was sent in turn t from the sums that are known of it.
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

// sum works out what follows from sums of what the nodes columns send that the nodes rows have received; nil: that takes too long.
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

// disagrees is how far sums may be from any that messages can have, over the largest, where all books are right.
const disagrees = 1e-7

// agrees reports whether there are messages with such sums: there need not be if a node holds more than the example it is taken to.
func (s *sum) agrees(sums *mat.Dense, off float64) bool {
	var along, back mat.Dense
	along.Mul(s.left.T(), sums)
	back.Mul(s.left, &along)
	back.Sub(&back, sums)
	return mat.Norm(&back, 2) <= float64(disagrees*mat.Norm(sums, 2))+float64(100*off)
}

// groups are disjoint sets of nodes.
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
