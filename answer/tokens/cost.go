package tokens

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// hiddenWork and hiddenAlone bound the multiplications that follow hidden paths, of all pairs and of one. hiddenLongest
// is the longest excursion that is followed.
const (
	hiddenWork    = 1e9
	hiddenAlone   = 1e10
	hiddenLongest = 256
)

// beginnings returns the number of first holders of an excursion that attackers distinguish, and the number of entries
// of the weights.
func (p *prover) beginnings() (count, entries float64) {
	w := p.oneWalk(0)
	if w.W == nil || p.knows == walklikelihood.Hops {
		count = float64(len(p.sets[0]))
		if entries = float64(w.Nodes); w.W != nil {
			entries = float64(len(w.W.Columns))
		}
		return count, entries
	}
	for _, set := range p.sets {
		for _, v := range set {
			columns, _ := w.W.Row(v)
			count += float64(len(columns)) / float64(len(p.sets))
		}
	}
	return count, float64(len(w.W.Columns))
}

// hiddenCost returns the approximate cost of one pair.
func (p *prover) hiddenCost() float64 {
	w := p.oneWalk(0)
	beginnings, entries := p.beginnings()
	outcomes := float64(float64(min(hiddenLongest, w.Turns)) / float64(w.Nodes) * 8)
	if w.Cap > 0 {
		outcomes = min(outcomes, float64(w.Cap))
	}
	follow := float64(beginnings * float64(min(hiddenLongest, w.Turns)) * entries * (outcomes + 2))
	receipts := float64(w.Turns) / float64(w.Nodes)
	return float64(float64(p.carriage.Lanes) * (follow + float64(float64(p.runs)*(float64(20*float64(w.Turns))+float64(100*receipts*(outcomes+2))))))
}

// followed returns the longest excursion that is followed. It is shorter if one pair would take too long. Ignoring the
// rest can only lower the proof.
func (p *prover) followed() int {
	w := p.oneWalk(0)
	beginnings, entries := p.beginnings()
	longest, work := min(hiddenLongest, w.Turns), 0.0
	for l := range longest {
		if work += float64(float64(p.carriage.Lanes) * beginnings * entries * (1 + p.counts(l+1))); work > hiddenAlone {
			return max(1, l)
		}
	}
	return longest
}

// counts returns the largest number of visits to one node in turns turns that is probable enough to be followed,
// approximately.
func (p *prover) counts(turns int) float64 {
	w := p.oneWalk(0)
	most, log := turns, 0.0
	if w.Cap > 0 {
		most = min(most, w.Cap)
	}
	for c := 1; c <= most; c++ {
		if log += math.Log(float64(turns) / float64(w.Nodes) / float64(c)); log < math.Log(walklikelihood.Negligible) {
			return float64(c - 1)
		}
	}
	return float64(most)
}

// notProved reports the nodes about which attackers without the route prove nothing, and the excursions that they
// ignore.
func (p *prover) notProved(chosen int) {
	targets := map[int]bool{}
	for _, one := range p.answer.Attacks {
		for _, t := range one.Targets {
			targets[t.Node] = true
		}
	}
	if chosen < len(targets) {
		p.answer.Notes = append(p.answer.Notes, fmt.Sprintf("What attackers prove who see %s was worked out for the %d of %d nodes of which those who know the route learn most: "+
			"for all it would take too long.", p.answer.Sees, chosen, len(targets)))
	}
	if turns := p.carriage.Updates.Turns; p.longest < min(hiddenLongest, turns) {
		p.answer.Notes = append(p.answer.Notes, fmt.Sprintf("They do not look at excursions of more than %d turns, of which the attackers' neighbours are too many to follow: they could prove more.", p.longest))
	}
}
