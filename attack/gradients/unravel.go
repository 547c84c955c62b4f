package gradients

import (
	"math"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/model"
)

const (
	// leastSteps is how many steps there must be work for.
	leastSteps = 20
	// draws is how often it begins anew, and annealSteps how many steps it takes each time.
	draws, annealSteps = 24, 150
	// width is how far a beginning is from the mean of what is known, in units of how far examples are.
	width = 0.5
	// roundings is how much of the rounding of a number a message may hold: that of all that it is a sum of.
	roundings = 16
)

// unravel looks for the examples that peeling left, in all messages at once, and takes those into f of which there is no doubt.
func (a *Attack) unravel(p *peeling, f *Found, seen *Seen, largest float64) {
	m, ok := a.Inversion.twoSided()
	if !ok {
		return
	}
	s := a.annealing(p, m, seen, largest)
	if s == nil {
		return
	}
	f.Solved = make([]bool, a.knowledge.Len())
	for k := range draws {
		rng := rand.New(rand.NewPCG(uint64(k), 16))
		s.hop(rng, width)
		if s.anneal(1, annealSteps) {
			for i, sure := range s.certain(rng) {
				if sure {
					a.settle(f, s.free[i], s.row(s.free[i]))
				}
			}
			return
		}
		s.remember()
		if s.budget <= 0 {
			return
		}
	}
}

// settle takes a node's z into what was found.
func (a *Attack) settle(f *Found, u int, z []float64) {
	d := len(z)
	label := math.Copysign(1, z[d-1])
	point := Point{X: divided(z[:d-1], z[d-1]), Label: label, Exact: true}
	r := replay{point: &point, label: label, scale: 1}
	f.Solved[u], f.Points[u] = true, &point
	f.Gradients[u] = a.gradient(make([]float64, d), a.Inversion.Theta, &r)
}

// annealing prepares one; nil where nothing is left, or too much.
func (a *Attack) annealing(p *peeling, m model.Margined, seen *Seen, largest float64) *annealing {
	k, d := a.knowledge, seen.Dim
	c := &course{knowledge: k, seen: &Seen{Dim: d, Own: seen.Own, Heard: seen.Heard}, loss: m, z: make([]float64, k.Len()*d)}
	var known []float64
	var free []int
	for u := range k.Len() {
		switch book := p.books[u]; {
		case k.attacker[u]:
		case book == nil:
			free = append(free, u)
		default:
			z := c.row(u)
			copy(z, book.point.X)
			z[d-1] = 1
			scale(z, book.label)
			known = append(known, z...)
		}
	}
	numbers := float64(len(free) * d)
	if len(free) == 0 || leastSteps*numbers*numbers*(float64(len(seen.Heard))/2+numbers) > a.Work || numbers > float64(len(seen.Heard)) {
		return nil
	}
	s := newAnnealing(c, believe(known, d), free)
	s.workers, s.say, s.budget, s.floor = max(1, a.Workers), a.Say, a.Work, roundings*largest*rounding
	if a.changes {
		s.workers = 1
	}
	return s
}
