package flow

import (
	"fmt"
	"math"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Averaged is gossip that draws noise once a round and averages several times on
// it (Muffliato-GD): y = Phi(x) + noise, then y, W y, .., W^(K-1) y are sent, and
// the next round starts from W^K y.
//
// With P the projector on what a coalition sees of y in a round, a shift of the
// noise by A times the difference, A = I - (I-P) q for any q in [0, 1], leaves
// what it sees as it is. So
//
//	c_(t+1) = L |W^K (I-P) q| c_t + s_(t+1) e_u,    V = sum of c_t'|A'A|c_t,
//
// moduli entry by entry, is a bound as that of the theorem is: rows differ by at
// most c, and |A D|^2 = sum (A'A)_ij <D_i, D_j> for the differences D.
// q = 0 absorbs everything at once, q = 1 only what is seen.
type Averaged struct {
	Weights       *sparse.Matrix // W >= 0, the same in all rounds
	Steps         int            // K >= 1
	Rounds        int            // T >= 1
	Contributions []float64      // s_t, nil: 1 in every round
	Lipschitz     float64        // of every node in every round, > 0
	Final         bool           // all of the last round's messages are public
}

// mostDense is up to how many nodes this is done: matrices are dense.
const mostDense = 4096

// viewSlack is more than what an entry of P is off by.
const viewSlack = 1e-10

// An AveragedBest is a bound and the q that gives it.
type AveragedBest struct {
	privacy.Claim
	Energy float64
	Q      float64
}

// Optimal is the least energy over some q from u towards observers, who pool
// what they see.
func (v Averaged) Optimal(u int, observers ...int) (AveragedBest, error) {
	best := AveragedBest{Energy: math.Inf(1)}
	r, err := v.round(u, observers)
	if err != nil {
		return best, err
	}
	best.Claim = r.claim
	for _, q := range []float64{0, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 1} {
		if e := r.energy(q); e < best.Energy {
			best.Energy, best.Q = e, q
		}
	}
	return best, nil
}

// An averagedRound is what all rounds share.
type averagedRound struct {
	Averaged
	p       Problem // the same with one step, for its checks
	u       int
	seen    []float64 // |P|, dense
	onwards []float64 // |W^K (I-P)|
	claim   privacy.Claim
}

func (v Averaged) round(u int, observers []int) (*averagedRound, error) {
	r := &averagedRound{Averaged: v, u: u}
	r.p = Problem{
		Rounds: v.Rounds, Weights: []*sparse.Matrix{v.Weights}, Contributions: ByRound(v.Contributions),
		Lipschitz: Table{{v.Lipschitz}}, Final: v.Final,
	}
	a, err := New(r.p)
	if err != nil {
		return nil, err
	}
	if err := r.p.checkPair(u, observers); err != nil {
		return nil, err
	}
	n := v.Weights.N
	if v.Steps < 1 || n > mostDense {
		return nil, fault.New(fmt.Sprintf("%d averaging steps a round among %d nodes", v.Steps, n),
			fmt.Sprintf("take 1 step or more, and at most %d nodes", mostDense))
	}
	g, err := gossip.New(v.Weights, v.Steps)
	if err != nil {
		return nil, err
	}
	view, err := g.View(observers)
	if err != nil {
		return nil, err
	}
	if view.Certainty() == gossip.Open {
		return nil, fault.New("what the observers see in a round is too close to call", "take another number of averaging steps")
	}
	r.claim = a.claim("flow, several averaging steps")
	r.claim.Assumptions = append(r.claim.Assumptions,
		"noise is drawn once a round, the same at every node that does not observe, and what is seen of it was decided as "+string(view.Certainty()))
	r.project(view)
	return r, nil
}

// project fills seen and onwards.
func (r *averagedRound) project(view *gossip.View) {
	n := r.Weights.N
	r.seen, r.onwards = make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			r.seen[i*n+j] = -view.Product(i, j)
		}
		r.seen[i*n+i]++
	}
	other := make([]float64, n*n)
	copy(r.onwards, r.seen)
	for range r.Steps {
		r.Weights.MulBlock(other, r.onwards, n)
		r.onwards, other = other, r.onwards
	}
	for i := range n {
		r.seen[i*n+i]--
	}
	for k := range r.seen {
		r.seen[k] = math.Abs(r.seen[k]) + viewSlack
		r.onwards[k] = math.Abs(r.onwards[k]) + viewSlack
	}
}

// energy is V for one q, rounded up. A'A = (1-q)^2 I + (1-(1-q)^2) P.
func (r *averagedRound) energy(q float64) float64 {
	n := r.Weights.N
	c, next := make([]float64, n), make([]float64, n)
	energy, kept := 0.0, (1-q)*(1-q)
	for t := range r.Rounds {
		c[r.u] += r.p.contribution(t, r.u)
		own, seen := 0.0, 0.0
		for i := range n {
			sum := 0.0
			for j, x := range c {
				sum += r.seen[i*n+j] * x
			}
			seen += c[i] * sum
			own += c[i] * c[i]
		}
		if r.Final && t == r.Rounds-1 {
			energy += own
			break
		}
		if t == r.Rounds-1 {
			energy += seen // nothing that is left is ever seen
			break
		}
		energy += kept*own + (1-kept)*seen
		for i := range n {
			sum := 0.0
			for j, x := range c {
				sum += r.onwards[i*n+j] * x
			}
			next[i] = raised(r.Lipschitz*q*sum, 2*n)
		}
		c, next = next, c
	}
	return raised(energy, 4*n*r.Rounds)
}
