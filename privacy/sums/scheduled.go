package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// RingOf returns the ring of a schedule. Its nodes are named by their positions.
func RingOf(s schedule.Ring) Ring {
	return Ring{Nodes: s.Nodes, Rounds: s.Rounds, Spread: s.Spread, Final: s.Final, Sealed: s.Sealed}
}

// RingHistogramOf returns the ring histogram of a schedule with answers. Its nodes are named
// by their positions.
func RingHistogramOf(s schedule.Ring) RingHistogram {
	return RingHistogram{Nodes: s.Nodes, Rounds: s.Rounds, Response: RandomResponse{s.Answer.Values, s.Answer.Gamma}, Final: s.Final, Sealed: s.Sealed}
}

// CompleteOf returns the walk of a schedule over the complete graph.
func CompleteOf(s schedule.Walk) Complete { return Complete{s.Nodes, s.Turns} }

// Energy returns the energy of the node at position u towards the one at position v, in
// closed form (see Energies). u is in all Rounds-1 segments between v's turns. It is in the
// segment before v's first turn if u < v. It is in the one after v's last turn if u > v,
// which counts only if the total is shown.
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

// noise returns the variance of steps first..end-1, fewer than n steps, all of others.
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

// Alone returns the energy of all contributions of the node at position u, each seen by
// itself. It is +Inf if the node adds something without noise of its own. The nodes before
// and after u can see that much together, and no coalition sees more.
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

// Claim returns the claim of Energies, towards one observer.
func (r Ring) Claim() privacy.Claim { return r.claim(nil) }

// A Pairs holds the loss of every pair of positions.
type Pairs struct {
	privacy.Claim
	before, after []float64 // [v]: losses towards v from nodes with their turn before v's in a round, and after
}

// At returns the loss from the node at position u towards that at v.
func (p *Pairs) At(u, v int) float64 {
	if u < v {
		return p.before[v]
	}
	return p.after[v]
}

// Pairs returns upper bounds on the losses at delta of all pairs, as Sound does towards the
// worst observer. The first segment of an observer at position v has v answers, among the
// random ones of the start. The Rounds-1 others have n-1, and a shown last token adds the
// answers after its last turn. Half of delta goes to the segments, half to the composition.
func (h RingHistogram) Pairs(delta float64) (*Pairs, error) { return h.PairsOf(delta, 1) }

// PairsOf returns the Pairs about one of rows rows, if a node draws one of them for each
// answer, anew and unseen. A segment that is (eps, delta')-private about an answer is then
// (eps', delta'/rows)-private, with exp(eps') - 1 = (exp(eps) - 1)/rows. Two data sets that
// differ in one row give different answers only with probability 1/rows (Balle, Barthe and
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

// memo returns of with a cache.
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

// LocalEpsilon returns the loss at delta of answers answers, all public.
func (r RandomResponse) LocalEpsilon(answers int, delta float64) (float64, privacy.Claim) {
	return LocalAnswers(r.Epsilon(), answers, delta)
}

// Among returns the loss of an answer about one of rows rows, if the node draws one of them
// for each answer, anew and unseen.
func (r RandomResponse) Among(rows float64) float64 { return drawn(r.Epsilon(), rows) }

// drawn returns the loss about one of rows rows of a mechanism whose loss about the drawn row
// is eps.
func drawn(eps, rows float64) float64 {
	if rows == 1 {
		return eps
	}
	return math.Log1p(math.Expm1(eps) / rows)
}

// LocalAnswers returns the loss at delta of answers answers, all public, of loss eps each.
func LocalAnswers(eps float64, answers int, delta float64) (float64, privacy.Claim) {
	var all composition
	all.add(eps, float64(answers))
	return all.epsilon(delta), privacy.Claim{Accountant: "local, composed responses", Status: privacy.Sound, Towards: privacy.Everybody, Assumptions: []string{
		fmt.Sprintf("answers of a node are public: at most %d", answers),
		"answers are of one of a fixed number of values, whatever the data, and random with the probability that is given",
	}}
}

// PrintedAt returns the loss of 002, Theorem 5.7 at delta in all, shared as by
// Ring.PublishedAt, for the response that this histogram has. Its epsilon per receipt is the
// one for which the theorem prescribes that response.
func (h RingHistogram) PrintedAt(delta float64) (privacy.Guarantee, error) {
	if err := cmp.Or(h.check(), privacy.CheckDeltas(delta)); err != nil {
		return privacy.Guarantee{}, err
	}
	each := delta / 2 / float64(h.Rounds)
	eps := h.Response.Epsilon() / (12 * math.Sqrt(-math.Log(each)/float64(h.Nodes)))
	g, _, err := RingHistogramPublished(h.Nodes, h.Rounds, h.Response.Values, eps, each, delta/2)
	return g, err
}
