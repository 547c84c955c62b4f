package admmview

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Plan bounds the loss of one node towards observers who see the mean of all variables at some times. In a second world
// it moves the noise of holders so that the differences of all variables sum to 0 whenever an observer looks. Its energy
// bounds the squared shift over noise of a Gaussian view that dominates the observers' (docs/ADMM.md, "Theorem").
//
// Every difference is a linear combination of the unit vectors by which the data of the node may move its contributions.
// The plan fixes the coefficients beforehand. Any further effect of a holder's convex objective is undone at once, at the
// cost of its largest possible size. So any choice of moves that ends with sum 0 is sound, and this one is a good one.
type Plan struct {
	step       Step
	nodes      float64
	u          int
	other, own move // of the others and of u, on their data
	silent     move
	energy     float64
	local      int // contributions seen so far; each costs a unit if public

	units []float64   // the largest norm of each contribution's vector
	rows  [][]float64 // the difference of each variable, in these vectors; shorter where nothing differs
	sum   []float64   // of the rows
	coming
}

// coming holds the facts that a plan uses about the turns up to the next look.
type coming struct {
	visits []int32   // turns to come of each holder
	who    []int     // holders with a turn, each of whom hides a share at its last one
	shares int       // weights of the holders who are still to hide a share
	keeps  []float64 // change of the sum by turns to come: the sum of (keep^visits - 1) times the rows
}

// NewPlan returns a plan that starts at a public point, where no variable differs. nodes is n, u the node whose data
// differ. It panics if the step or the node is invalid.
func NewPlan(s Step, nodes, u int) *Plan {
	if err := s.check(); err != nil || u < 0 || u >= nodes {
		panic("privacy/admmview: a plan of a step or node that makes no sense")
	}
	return &Plan{step: s, nodes: float64(nodes), u: u, other: s.others(), own: s.own(), silent: s.silent(), rows: make([][]float64, nodes),
		coming: coming{visits: make([]int32, nodes)}}
}

// Energy returns the energy of everything seen, rounded upwards. It is at most the energy of public contributions.
func (p *Plan) Energy() float64 {
	return min(p.energy*(1+1e-9), float64(p.local)*(1+p.step.Inexact)*(1+p.step.Inexact))
}

// How is the way in which a holder takes its turn. In each of them it adds noise to its variable.
type How int8

// The ways to take a turn.
const (
	Updates How = iota // the local step on its data
	Drifts             // the local step without data, f = 0
	Stays              // the variable changes by noise alone
)

// A Turn is one update.
type Turn struct {
	Holder int
	How
}

// Seen plans for the turns between two looks of an observer, one after the other. Their holders are not observers. Turns
// that no observer sees afterwards must be left out.
func (p *Plan) Seen(turns []Turn) { p.follow(turns, false) }

// Round plans for turns of different holders that all start from the same z, and a look at the mean after them: a round
// of a curator or of secure sums. The order of turns does not matter, and Round may change it.
func (p *Plan) Round(turns []Turn) {
	for i, t := range turns {
		if t.Holder == p.u {
			turns[0], turns[i] = turns[i], turns[0] // the contribution of u may be known to all others
		}
	}
	p.follow(turns, true)
}

func (p *Plan) follow(turns []Turn, together bool) {
	contributions := 0
	for _, t := range turns {
		if p.contributes(t) {
			contributions++
		}
	}
	p.local += contributions
	if len(p.units)+contributions == 0 {
		return // no variable differs
	}
	p.foresee(turns)
	mean := 1 / p.nodes
	if together {
		mean = 0
	}
	for _, t := range turns {
		p.turn(t, mean)
	}
	clear(p.sum) // of rounding errors
}

// contributes reports whether the data of u have a part in a turn.
func (p *Plan) contributes(t Turn) bool { return t.Holder == p.u && t.How == Updates }

// foresee counts the turns of each holder up to the next look.
func (p *Plan) foresee(turns []Turn) {
	p.who, p.keeps = p.who[:0], p.keeps[:0]
	p.keeps = widen(p.keeps, len(p.units))
	for _, t := range turns {
		if p.visits[t.Holder]++; p.visits[t.Holder] == 1 {
			p.who = append(p.who, t.Holder)
		}
	}
	p.shares = 0
	for _, holder := range p.who {
		p.shares += p.share(holder)
		p.expect(holder, 1)
	}
}

// share returns the weight of a holder in hiding the sum: 2 for u, else 1. The part that u takes back itself need not be
// hidden again when u forgets it.
func (p *Plan) share(holder int) int {
	if holder == p.u {
		return 2
	}
	return 1
}

// expect adds to keeps, times sign, the change of a holder's row by its turns to come.
func (p *Plan) expect(holder int, sign float64) {
	row := p.rows[holder]
	if len(row) == 0 || p.visits[holder] == 0 {
		return
	}
	m := p.other
	if holder == p.u {
		m = p.own
	}
	forgotten := sign * (power(m.keep, p.visits[holder]) - 1)
	for c, x := range row {
		p.keeps[c] += float64(forgotten * x)
	}
}

// power returns x^k for k > 0, where k is mostly 1.
func power(x float64, k int32) float64 {
	if k == 1 {
		return x
	}
	return math.Pow(x, float64(k))
}

// turn plans for one update. The mean differs by mean times the sum of the rows.
func (p *Plan) turn(t Turn, mean float64) {
	p.expect(t.Holder, -1)
	p.visits[t.Holder]--
	radius := p.settle(t.Holder, p.moveOf(t), mean)
	if p.contributes(t) {
		p.contribute(1 + p.step.Inexact + radius)
		radius = 0
	}
	length := 0.0
	if p.visits[t.Holder] == 0 {
		length = p.hide(t.Holder)
	}
	p.expect(t.Holder, 1)
	p.energy += float64((length + radius) * (length + radius))
}

// moveOf returns the move of a turn.
func (p *Plan) moveOf(t Turn) move {
	switch {
	case t.How == Stays:
		return move{keep: 1}
	case t.How == Drifts:
		return p.silent
	case t.Holder == p.u:
		return p.own
	}
	return p.other
}

// settle moves a row to the centre of the differences that the update may lead to, and returns a bound on the distance
// from it.
func (p *Plan) settle(holder int, m move, mean float64) (radius float64) {
	row := widen(p.rows[holder], len(p.units))
	p.rows[holder] = row
	apart, off, any := 0.0, 0.0, 0.0
	for c, a := range row {
		dz := mean * p.sum[c]
		apart += float64(math.Abs(a-float64(m.toward*dz)) * p.units[c])
		off += float64(math.Abs(dz) * p.units[c])
		any += math.Abs(a)
		d := float64((m.keep-1)*a) + float64(m.drift*dz)
		row[c] += d
		p.sum[c] += d
	}
	if any == 0 && off == 0 {
		return 0 // the same in both worlds
	}
	radius = float64(m.spread*apart) + float64(m.beside*off)
	if m.spread > 0 { // data are looked at
		radius += p.step.Inexact
	}
	return radius
}

// contribute moves the row of u by a new vector of norm at most unit.
func (p *Plan) contribute(unit float64) {
	p.units, p.sum, p.keeps = append(p.units, unit), append(p.sum, 1), append(p.keeps, 0)
	p.rows[p.u] = append(p.rows[p.u], 1)
}

// hide moves the holder's noise by its share of the sum at the next look, and returns an upper bound on the length of the
// move. The last holder takes all that is left.
func (p *Plan) hide(holder int) (length float64) {
	row, share := p.rows[holder], float64(p.share(holder))/float64(p.shares)
	p.shares -= p.share(holder)
	for c, s := range p.sum {
		if p.shares > 0 {
			s += p.keeps[c]
		}
		h := float64(-s * share)
		row[c] += h
		p.sum[c] += h
		length += float64(math.Abs(h) * p.units[c])
	}
	return length
}

// widen appends zeros up to a length, with room for some more.
func widen(x []float64, length int) []float64 {
	if cap(x) < length {
		x = slices.Grow(x, length+4-len(x))
	}
	for len(x) < length {
		x = append(x, 0)
	}
	return x
}
