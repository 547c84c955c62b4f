package membership

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// An Excursion describes a token between two sights of it by an attacker. It holds the ends of the path, as far as the
// attacker sees them, the time away, and the move along the direction in which the worlds differ.
type Excursion struct {
	Turns       int     // turns while it was away
	Begin       float64 // time in the run, from 0 to 1
	Rates       float64 // sum of the step sizes of those turns
	Energy      float64 // sum of their squares
	First       bool    // from the beginning of the run, which is public
	To, From    bool    // it was sent to the target, and came back from the target
	At          float64 // its position when it left, along the direction
	Moved       float64 // its move along the direction
	Contributed int     // contributions of the target: known in a shadow run, and not to an attacker
}

// A Walk is the attacker's model of excursions. It holds the drift of a token without the target, and the move by each
// contribution of the target in either world. It also holds the law of their number, for each kind of excursion. A run's score
// is the logarithm of the likelihood ratio of all its excursions, given the token's position when it left.
type Walk struct {
	drift  [2]float64 // for a unit of step size: constant, and times the token's position
	push   [2]float64 // by a contribution, in step sizes, for each world
	noise  float64    // variance, in squared step sizes
	counts map[kind]tally
}

// A kind groups excursions that share a law of the number of the target's contributions.
type kind struct {
	turns, begin    int
	first, to, from bool
}

// A tally counts excursions by contributions. The last entry counts all with more.
type tally [mostContributed + 1]float64

// mostContributed is the largest number of contributions of an excursion that is counted by itself.
const mostContributed = 12

// phases is the number of parts of a run with laws of their own. If contributions are capped, late parts have none.
const phases = 4

func (e *Excursion) kind() kind {
	return kind{bucket(e.Turns), min(phases-1, int(phases*e.Begin)), e.First, e.To, e.From}
}

// wider returns the kind that keeps only the number of turns, for kinds with few excursions.
func (k kind) wider() kind { return kind{begin: -1, turns: k.turns} }

// bucket groups numbers of turns, in wider groups for larger numbers.
func bucket(turns int) int {
	const alone = 8
	if turns <= alone {
		return turns
	}
	return alone + int(4*math.Log2(float64(turns)/alone))
}

// FitWalk returns the model fitted to the excursions of shadow runs of both worlds, one list a run.
func FitWalk(fit [2][][]Excursion) *Walk {
	w := &Walk{counts: map[kind]tally{}}
	var normal [4][4]float64
	var right [4]float64
	w.each(fit, func(world int, e *Excursion) {
		row, y := design(world, e)
		for i := range row {
			for j := range row {
				normal[i][j] += float64(row[i] * row[j])
			}
			right[i] += float64(row[i] * y)
		}
		for _, k := range []kind{e.kind(), e.kind().wider()} {
			t := w.counts[k]
			t[min(e.Contributed, mostContributed)]++
			w.counts[k] = t
		}
	})
	fitted := solve(normal, right)
	w.drift = [2]float64{fitted[0], fitted[1]}
	w.push = [2]float64{fitted[2] + fitted[3], fitted[2] - fitted[3]}
	count := 0.0
	w.each(fit, func(world int, e *Excursion) {
		row, y := design(world, e)
		for i := range row {
			y -= float64(row[i] * fitted[i])
		}
		w.noise += float64(y * y)
		count++
	})
	w.noise /= max(1, count)
	return w
}

// each calls see for all excursions with steps.
func (w *Walk) each(fit [2][][]Excursion, see func(world int, e *Excursion)) {
	for world := range fit {
		for _, run := range fit[world] {
			for i := range run {
				if run[i].Energy > 0 {
					see(world, &run[i])
				}
			}
		}
	}
}

// design returns an excursion as a row of a least-squares problem whose noise has the same variance everywhere.
func design(world int, e *Excursion) (row [4]float64, y float64) {
	scale := 1 / math.Sqrt(e.Energy)
	pushed := float64(e.Contributed) * e.Rates / float64(e.Turns)
	sign := 1 - float64(2*float64(world))
	return [4]float64{scale * e.Rates, scale * e.Rates * e.At, scale * pushed, scale * pushed * sign}, scale * e.Moved
}

// spare is added to the diagonal of a system whose diagonal is 1, because columns can be collinear. The drift and the target's
// push are if every excursion has the same number of contributions.
const spare = 1e-9

// solve returns the solution of a small least-squares system, regularised. It returns 0 for empty columns.
func solve(a [4][4]float64, b [4]float64) (x [4]float64) {
	m, scale := mat.NewSymDense(4, nil), [4]float64{}
	for i := range a {
		if scale[i] = 1; a[i][i] > 0 {
			scale[i] = 1 / math.Sqrt(a[i][i])
		}
		for j := range i {
			m.SetSym(i, j, a[i][j]*scale[i]*scale[j])
		}
		m.SetSym(i, i, 1+spare)
		b[i] *= scale[i]
	}
	var c mat.Cholesky
	if !c.Factorize(m) {
		return x
	}
	v := mat.NewVecDense(4, nil)
	if c.SolveVecTo(v, mat.NewVecDense(4, b[:])) != nil {
		return x
	}
	for i := range x {
		x[i] = v.AtVec(i) * scale[i]
	}
	return x
}

// Score returns the logarithm of the likelihood of a run's excursions in world 0 over that in world 1.
func (w *Walk) Score(run []Excursion) (score float64) {
	for i := range run {
		if e := &run[i]; e.Energy > 0 {
			score += w.ratio(e)
		}
	}
	return score
}

// prior is the weight of the wider kind's law, as a number of excursions of the kind itself.
const prior = 2

func (w *Walk) ratio(e *Excursion) float64 {
	own, wide := w.counts[e.kind()], w.counts[e.kind().wider()]
	of, all := 0.0, 0.0
	for m := range own {
		of, all = of+own[m], all+wide[m]
	}
	if all == 0 || w.noise == 0 {
		return 0
	}
	rest := e.Moved - float64(e.Rates*(w.drift[0]+float64(w.drift[1]*e.At)))
	variance := float64(w.noise * e.Energy)
	each := e.Rates / float64(e.Turns)
	var logs [2][]float64
	for m := range own {
		p := (own[m] + prior*wide[m]/all) / (of + prior)
		if p == 0 {
			continue
		}
		for world := range logs {
			off := rest - float64(w.push[world]*float64(m)*each)
			logs[world] = append(logs[world], math.Log(p)-off*off/(2*variance))
		}
	}
	return logSum(logs[0]) - logSum(logs[1])
}

// logSum returns the logarithm of the sum of exponentials.
func logSum(x []float64) float64 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range x {
		most = max(most, v)
	}
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}
