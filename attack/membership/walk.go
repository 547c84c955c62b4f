package membership

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// An Excursion is what happens to a token between two sights of it by an attacker: where it was sent and where it came
// back from, for how long it was away, and how far it came along the direction in which the worlds differ.
type Excursion struct {
	Turns       int     // while it was away
	Begin       float64 // of the run, from 0 to 1
	Rates       float64 // sum of the step sizes of those turns
	Energy      float64 // sum of their squares
	First       bool    // from where the run begins, which is public
	To, From    bool    // it was sent to the target, and came back from it
	At          float64 // where it was when it left, along the direction
	Moved       float64 // how far it came
	Contributed int     // by the target: what a shadow run knows, and an attacker does not
}

// A Walk is what an attacker makes of excursions: how a token drifts without the target, how much each of the target's
// contributions moves it, in either world, and how many there are of them in an excursion like that. A run's score is the
// logarithm of the likelihood ratio of all its excursions, given where the token was when it left.
type Walk struct {
	drift  [2]float64 // of a unit of step size: constant, and for where the token is
	push   [2]float64 // of a contribution, in step sizes, by world
	noise  float64    // variance, in squared step sizes
	counts map[kind]tally
}

// A kind of excursions has a law of how often the target contributes.
type kind struct {
	turns, begin    int
	first, to, from bool
}

// A tally counts excursions by contributions; the last one counts all with more.
type tally [mostContributed + 1]float64

// mostContributed is the most contributions of an excursion that are told apart.
const mostContributed = 12

// phases is how many parts of a run have laws of their own: where contributions are capped, late ones are none.
const phases = 4

func (e *Excursion) kind() kind {
	return kind{bucket(e.Turns), min(phases-1, int(phases*e.Begin)), e.First, e.To, e.From}
}

// wider is the kind without what few excursions share.
func (k kind) wider() kind { return kind{begin: -1, turns: k.turns} }

// bucket puts lengths together, the more the longer.
func bucket(turns int) int {
	const alone = 8
	if turns <= alone {
		return turns
	}
	return alone + int(4*math.Log2(float64(turns)/alone))
}

// FitWalk fits to the excursions of shadow runs of both worlds, one list a run.
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

// each shows all excursions that say something.
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

// design is an excursion as a row of a least-squares problem whose noise has the same variance everywhere.
func design(world int, e *Excursion) (row [4]float64, y float64) {
	scale := 1 / math.Sqrt(e.Energy)
	pushed := float64(e.Contributed) * e.Rates / float64(e.Turns)
	sign := 1 - float64(2*float64(world))
	return [4]float64{scale * e.Rates, scale * e.Rates * e.At, scale * pushed, scale * pushed * sign}, scale * e.Moved
}

// spare is added to the diagonal of a system whose diagonal is 1: columns that say the same, as the drift and the target's
// push do where every excursion has as many contributions, share what they explain.
const spare = 1e-9

// solve is the solution of a small system of least squares, regularised where it is singular; 0 in the place of empty columns.
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

// Score is the logarithm of the likelihood of a run's excursions in world 0 over that in world 1.
func (w *Walk) Score(run []Excursion) (score float64) {
	for i := range run {
		if e := &run[i]; e.Energy > 0 {
			score += w.ratio(e)
		}
	}
	return score
}

// prior is how many excursions of the wider kind count as much as what is known of a kind.
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

// logSum is the logarithm of the sum of exponentials.
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
