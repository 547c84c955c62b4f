package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// RingOf is the ring of a schedule, whose nodes go by their positions.
func RingOf(s schedule.Ring) Ring {
	return Ring{Nodes: s.Nodes, Rounds: s.Rounds, Spread: s.Spread, Final: s.Final, Sealed: s.Sealed}
}

// RingHistogramOf is likewise that of a schedule with answers.
func RingHistogramOf(s schedule.Ring) RingHistogram {
	return RingHistogram{Nodes: s.Nodes, Rounds: s.Rounds, Response: RandomResponse{s.Answer.Values, s.Answer.Gamma}, Final: s.Final, Sealed: s.Sealed}
}

// CompleteOf is the walk of a schedule over all nodes alike.
func CompleteOf(s schedule.Walk) Complete { return Complete{s.Nodes, s.Turns} }

// Energy is what the node at position v learns about the one at position u, in closed form
// (see Energies): the segment before v's first turn has u in it if u < v, the Rounds-1
// between its turns all have, and the one after its last, which ends where the total is
// shown, if u > v.
func (r Ring) Energy(u, v int) float64 {
	n := float64(r.Nodes)
	between := 1.0
	if r.Spread {
		between = (n - 1) / n
	}
	energy := float64(r.Rounds-1) / between
	if u < v {
		energy += 1 / r.noise(0, v)
	}
	if r.Final && u > v {
		energy += 1 / r.noise(r.Nodes*(r.Rounds-1)+v+1, r.Nodes*r.Rounds)
	}
	return energy
}

// noise is the variance of steps first..end-1, all of others, fewer than n.
func (r Ring) noise(first, end int) (sum float64) {
	last := r.Nodes*r.Rounds - 1
	if r.Spread {
		each := 1 / float64(r.Nodes)
		sum = float64(float64(end-first) * each)
		if first == 0 {
			sum += 1 - each
		}
		if r.Sealed && end == last+1 && last > 0 {
			sum += 1 - each
		}
		return sum
	}
	every := r.Nodes - 1
	sum = float64((end+every-1)/every - (first+every-1)/every)
	if r.Sealed && end == last+1 && r.bareEnd() {
		sum++
	}
	return sum
}

// Alone is the energy of all that the node at position u adds, each seen by itself: +Inf
// where it adds something without noise of its own. Those before and after it can see so
// much together, and nobody more.
func (r Ring) Alone(u int) (energy float64) {
	if r.Spread {
		energy = float64(float64(r.Rounds) * float64(r.Nodes))
		if u == 0 {
			energy += 1 - float64(r.Nodes)
		}
		if r.Sealed && u == r.Nodes-1 {
			energy += 1 - float64(r.Nodes)
		}
		return energy
	}
	for round := range r.Rounds {
		energy += 1 / r.variance(u+round*r.Nodes)
	}
	return energy
}

// Claim is what stands behind Energies, towards one observer.
func (r Ring) Claim() privacy.Claim { return r.claim(nil) }

// A Pairs has the loss of every pair of positions.
type Pairs struct {
	privacy.Claim
	before, after []float64 // of an observer at each position: about those with the turn before it in a round, and after
}

// At is from the node at position u towards that at v.
func (p *Pairs) At(u, v int) float64 {
	if u < v {
		return p.before[v]
	}
	return p.after[v]
}

// Pairs bounds the losses at delta of all pairs, as Sound does towards the worst observer:
// an observer at position v sees in its first segment v answers among the random ones of
// the start, in the Rounds-1 others n-1, and where the last token is shown what comes
// after its last turn. Half of delta goes to the segments, half to the composition.
func (h RingHistogram) Pairs(delta float64) (*Pairs, error) { return h.PairsOf(delta, 1) }

// PairsOf are the Pairs about one of so many rows, of which a node draws one for each answer,
// anew and unseen. A segment is then (eps', delta'/rows)-private with exp(eps') - 1 =
// (exp(eps) - 1)/rows where it is (eps, delta')-private about an answer: two data sets that
// differ in one row answer by it with probability 1/rows, and alike else (Balle, Barthe and
// Gaboardi 2018, Theorem 2, advanced joint convexity).
func (h RingHistogram) PairsOf(delta, rows float64) (*Pairs, error) {
	if err := cmp.Or(h.check(), privacy.CheckDeltas(delta)); err != nil {
		return nil, err
	}
	each := delta / 2 / float64(h.Rounds)
	hidden := func(b blanket) float64 { return drawn(h.Response.hiddenEpsilon(min(each*rows, 0.5), b), rows) }
	among := memo(func(answers int) float64 { return hidden(h.Response.among(answers)) })
	beside := hidden(h.Response.beside(int(h.Response.Gamma * float64(h.Nodes))))
	p := &Pairs{Claim: h.claim(), before: make([]float64, h.Nodes), after: make([]float64, h.Nodes)}
	full := among(coarse(h.Nodes - 1))
	for v := range h.Nodes {
		var before, after composition
		before.add(full, float64(h.Rounds-1))
		after = before
		if v > 0 {
			before.add(min(beside, among(coarse(v))), 1)
		}
		if rest := h.Nodes - 1 - v; h.Final && rest > 0 {
			end := among(coarse(rest))
			if h.Sealed {
				end = min(end, beside)
			}
			after.add(end, 1)
		}
		p.before[v], p.after[v] = before.epsilon(delta/2), after.epsilon(delta/2)
	}
	return p, nil
}

// memo remembers what of says.
func memo(of func(int) float64) func(int) float64 {
	known := map[int]float64{}
	return func(i int) float64 {
		x, ok := known[i]
		if !ok {
			x = of(i)
			known[i] = x
		}
		return x
	}
}

// LocalEpsilon is the loss at delta of so many answers, all public.
func (r RandomResponse) LocalEpsilon(answers int, delta float64) (float64, privacy.Claim) {
	return LocalAnswers(r.Epsilon(), answers, delta)
}

// Among is the loss of an answer about one of so many rows, of which a node draws one for
// it, anew and unseen.
func (r RandomResponse) Among(rows float64) float64 { return drawn(r.Epsilon(), rows) }

// drawn is the loss about one of so many rows of what loses eps about the one that is drawn.
func drawn(eps, rows float64) float64 {
	if rows == 1 {
		return eps
	}
	return math.Log1p(math.Expm1(eps) / rows)
}

// LocalAnswers is the loss at delta of so many answers, all public, of which each loses eps.
func LocalAnswers(eps float64, answers int, delta float64) (float64, privacy.Claim) {
	var all composition
	all.add(eps, float64(answers))
	return all.epsilon(delta), privacy.Claim{Accountant: "local, composed responses", Status: privacy.Sound, Towards: privacy.Everybody, Assumptions: []string{
		fmt.Sprintf("a node answers at most %d times, all public", answers),
		"answers are of one of a fixed number of values, whatever the data, and random with the probability that is given",
	}}
}

// PrintedAt is 002, Theorem 5.7 at delta in all, shared as by Ring.PublishedAt, for the
// response that this histogram has: the epsilon of a receipt for which the theorem
// prescribes it.
func (h RingHistogram) PrintedAt(delta float64) (privacy.Guarantee, error) {
	if err := cmp.Or(h.check(), privacy.CheckDeltas(delta)); err != nil {
		return privacy.Guarantee{}, err
	}
	each := delta / 2 / float64(h.Rounds)
	eps := h.Response.Epsilon() / (12 * math.Sqrt(-math.Log(each)/float64(h.Nodes)))
	g, _, err := RingHistogramPublished(h.Nodes, h.Rounds, h.Response.Values, eps, each, delta/2)
	return g, err
}
