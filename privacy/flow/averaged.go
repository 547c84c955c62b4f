package flow

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Several turns of averaging on one draw of noise (Muffliato-GD). In round t y = Phi(x) + noise, all nodes with
// the same noise level. Then M_0 y = y, M_1 y, .., M_(K-1) y are sent, turn by turn, and the next round starts
// from M_K y. M_k is the product of the first k matrices of the round, or their polynomial where averaging is
// accelerated.
//
// Let P be the projector on the part of y that a coalition sees in the round, its own values included. Let D be
// the difference of y, and Q = diag(q_j), q_j in [0, 1]. A shift of the noise by A D, A = I - (I-P)Q, leaves the
// view unchanged, because y moves by (I-P)QD. So with the plan a = (1-q)c
//
//	c_(t+1) = L (gamma_t/gamma_(t+1)) |M_K (I-P)| (c_t - a_t) + s_(t+1) e_u,
//	V       = sum over t of c'|P|c - a'|P|a + a'a,
//
// moduli entry by entry, bounds the energy of all shifts. The reason is that A'A has entries (1-q_i)^2 on the
// diagonal and P_ij (1 - (1-q_i)(1-q_j)) besides, and rows of D are no longer than c. Larger entries than those
// of |P| and |M_K (I-P)| make a larger bound, and so does a larger seen space. If the seen space was not decided
// numerically, everything that can have arrived is taken as seen.
//
// A coalition that deviates from the protocol sees no more. The others' values are then those products of the
// rows and columns of the others, plus values that it knows. That needs plain averaging, in which no honest
// value can leave the box that incoming ones are confined to.

// turns returns K, at least 1.
func (p *Problem) turns() int { return max(1, p.Turns) }

// averages reports whether rounds have several turns on one draw of noise.
func (p *Problem) averages() bool { return p.turns() > 1 }

// acceleration returns Gamma, or 1 without acceleration.
func (p *Problem) acceleration() float64 { return max(1, p.Gamma) }

// turn returns the matrix of turn k of round t.
func (p *Problem) turn(t, k int) *sparse.Matrix { return p.weights(t*p.turns() + k) }

// checkTurns returns an error for rounds of several turns that the theorem does not cover.
func (p *Problem) checkTurns() error {
	if p.Turns < 0 || p.Gamma != 0 && !(p.Gamma >= 1 && p.Gamma <= 2) {
		return fault.New(fmt.Sprintf("rounds of %d turns, accelerated by %g", p.Turns, p.Gamma), "give 1 turn or more, and an acceleration of 1, which is none, to 2")
	}
	if !p.averages() {
		if p.acceleration() != 1 {
			return fault.New(fmt.Sprintf("acceleration %g of rounds of one turn", p.Gamma), "leave it out")
		}
		return nil
	}
	if len(p.Hears) > 0 || p.Rounding != nil || len(p.Noise) > 0 {
		return fault.New(fmt.Sprintf("rounds of %d turns on one draw of noise that differs from node to node, lies on a grid, or is heard besides", p.Turns),
			"what a round's sums hide is known of continuous noise, the same at all nodes: charge the local loss, or draw noise before every turn")
	}
	if p.acceleration() == 1 {
		return nil
	}
	for t, known := 0, (*sparse.Matrix)(nil); t < p.Rounds; t++ {
		for k := range p.Turns {
			if p.turn(t, k) != p.turn(t, 0) {
				return fault.New(fmt.Sprintf("round %d: accelerated averaging over weights that change from turn to turn", t), "use acceleration only on weights that stay for a round")
			}
		}
		if w := p.turn(t, 0); w != known && !w.Symmetric(0) {
			return fault.New(fmt.Sprintf("round %d: accelerated averaging over weights that are not symmetric", t), "use hamilton weights, or no acceleration")
		}
		known = p.turn(t, 0)
	}
	return nil
}

// viewSlack bounds the error of an entry of P.
const viewSlack = 1e-10

// A veil describes one round of several turns towards a coalition: P, the projector on the seen part of the
// noisy values, and M_K (I-P), the part that goes on. Both are dense, row by row.
type veil struct {
	n        int
	seen     []float64 // P; the identity on the reached nodes if P was not decided
	onwards  []float64 // M_K (I-P)
	slack    float64   // bounds the error of entries of onwards; viewSlack bounds that of seen
	touched  []bool    // nodes whose values arrive in part; P is exactly 0 elsewhere
	decided  bool      // P projects on exactly the seen space, not on a larger one
	observes []int
	sees     entries // of seen
	leaves   entries // of onwards
}

// entries hold the absolute values of the entries of a matrix that are not 0, row by row.
type entries struct {
	ends    []int // of rows
	columns []int32
	values  []float64
}

func entriesOf(m []float64, n int) (s entries) {
	for i := range n {
		for j, entry := range m[i*n : (i+1)*n] {
			if entry != 0 {
				s.columns, s.values = append(s.columns, int32(j)), append(s.values, math.Abs(entry))
			}
		}
		s.ends = append(s.ends, len(s.columns))
	}
	return s
}

// veils returns the veils of all rounds towards a coalition. Rounds with the same matrices share one.
func (a *Accountant) veils(coalition []int) ([]*veil, error) {
	all, known := make([]*veil, a.p.Rounds), map[*gossipview.Accountant]*veil{}
	for t, averaging := range a.rounds {
		if known[averaging] == nil && len(coalition) == 0 {
			known[averaging] = a.covered(t)
		}
		if known[averaging] == nil {
			view, err := averaging.View(coalition)
			if err != nil {
				return nil, err
			}
			known[averaging] = a.veil(t, averaging, view, coalition)
		}
		all[t] = known[averaging]
	}
	return all, nil
}

// covered returns the veil towards the public, which sees only the last round: M_K goes on. All nodes count as
// touched, so that slack covers the rounding of M_K.
func (a *Accountant) covered(t int) *veil {
	v := &veil{n: a.n, seen: make([]float64, a.n*a.n), slack: a.viewSlack(), touched: slices.Repeat([]bool{true}, a.n), decided: true}
	one := make([]float64, a.n*a.n)
	for i := range a.n {
		one[i*a.n+i] = 1
	}
	v.onwards = a.averaged(t, one)
	v.sees, v.leaves = entriesOf(v.seen, a.n), entriesOf(v.onwards, a.n)
	return v
}

// viewSlack bounds the error of an entry of M_K (I-P). Polynomials of a symmetric W have norm at most 1.
func (a *Accountant) viewSlack() float64 {
	if a.p.acceleration() == 1 {
		return viewSlack
	}
	return viewSlack * math.Sqrt(float64(a.n))
}

func (a *Accountant) veil(t int, averaging *gossipview.Accountant, view *gossipview.View, coalition []int) *veil {
	n := a.n
	v := &veil{n: n, seen: make([]float64, n*n), slack: a.viewSlack(), touched: averaging.Reached(coalition), decided: view.Certainty() != gossipview.Open, observes: coalition}
	hidden := make([]float64, n*n) // I - P
	for i := range n {
		hidden[i*n+i] = 1
		if !v.touched[i] {
			continue
		}
		for j := range n {
			switch {
			case !v.touched[j]:
			case v.decided:
				v.seen[i*n+j] = view.Product(i, j)
			case i == j:
				v.seen[i*n+j] = 1
			}
			hidden[i*n+j] -= v.seen[i*n+j]
		}
	}
	v.onwards = a.averaged(t, hidden)
	v.sees, v.leaves = entriesOf(v.seen, n), entriesOf(v.onwards, n)
	v.decided = v.decided && view.Certainty() != gossipview.Saturated
	return v
}

// averaged returns the block x after the turns of round t. It overwrites x.
func (a *Accountant) averaged(t int, x []float64) []float64 {
	next, before := make([]float64, len(x)), []float64(nil)
	cols, gamma := len(x)/a.n, a.p.acceleration()
	for k := range a.p.turns() {
		a.p.turn(t, k).MulBlock(next, x, cols)
		if k > 0 && gamma != 1 {
			for i, old := range before {
				next[i] = float64(gamma*next[i]) + float64((1-gamma)*old)
			}
		}
		if before == nil {
			before = make([]float64, len(x))
		}
		before, x, next = x, next, before
	}
	return x
}

// upper sets dst to at least |m| x if entries of m have errors below slack. It adds the slack for touched
// columns only.
func (v *veil) upper(dst []float64, m *entries, x []float64, slack float64) {
	mass := 0.0 // of entries that are computed as 0 and may not be
	for j, y := range x {
		if v.touched[j] {
			mass += y
		}
	}
	from := 0
	for i, end := range m.ends {
		sum := 0.0
		for k := from; k < end; k++ {
			sum += float64(m.values[k] * x[m.columns[k]])
		}
		from, dst[i] = end, raised(sum+float64(slack*mass), v.n+4)
	}
}

// see sets dst to at least |P| x, and to 0 at nodes that are not touched.
func (v *veil) see(dst, x []float64) {
	v.upper(dst, &v.sees, x, viewSlack)
	for i, touched := range v.touched {
		if !touched {
			dst[i] = 0
		}
	}
}

// mostVeiled bounds the memory of veils: the entries of one matrix for each different round.
const mostVeiled = 1 << 25

// averagings returns the exact accountants of the rounds. Rounds with the same matrices share one.
func averagings(p *Problem) ([]*gossipview.Accountant, error) {
	all, made := make([]*gossipview.Accountant, p.Rounds), 0
	for t := range all {
		if t > 0 && (len(p.Weights) == 1 || p.sameTurns(t, t-1)) {
			all[t] = all[t-1]
			continue
		}
		if made++; float64(made)*float64(p.n())*float64(p.n()) > mostVeiled {
			return nil, fault.New(fmt.Sprintf("what %d nodes see of %d different rounds of averaging on one draw of noise takes more memory than the flow accountant may use",
				p.n(), p.Rounds), "take fewer nodes or rounds, noise before every turn, or charge the local loss")
		}
		var err error
		if all[t], err = p.averaging(t); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// averaging returns the exact accountant of round t.
func (p *Problem) averaging(t int) (*gossipview.Accountant, error) {
	matrices, same := make([]*sparse.Matrix, p.turns()), true
	for k := range matrices {
		matrices[k] = p.turn(t, k)
		same = same && matrices[k] == matrices[0]
	}
	if same {
		return gossipview.New(matrices[0], len(matrices))
	}
	return gossipview.NewChanging(matrices)
}

func (p *Problem) sameTurns(t, other int) bool {
	for k := range p.turns() {
		if p.turn(t, k) != p.turn(other, k) {
			return false
		}
	}
	return true
}
