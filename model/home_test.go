package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Folds are every tenth row, of a classifier of each label: together they are all rows.
func TestFoldsAreAllRowsOnce(t *testing.T) {
	for _, o := range []Objective{{Model: Logistic{}}, {Model: Ridge{}}} {
		rng, ex := rand.New(rand.NewPCG(1, 1)), Examples{Features: 1}
		for i := range 43 {
			y := rng.NormFloat64()
			if o.Name() == "logistic" {
				y = float64(2*rng.IntN(2) - 1)
			}
			ex.X, ex.Y = append(ex.X, float64(i)), append(ex.Y, y)
		}
		seen := map[float64]int{}
		for fold := range Folds {
			rest, kept := o.Fold(ex, fold)
			if rest.Len()+kept.Len() != ex.Len() || kept.Len() < ex.Len()/Folds-2 || kept.Len() > ex.Len()/Folds+2 {
				t.Errorf("%s, fold %d: %d and %d rows", o.Name(), fold, rest.Len(), kept.Len())
			}
			for _, x := range kept.X {
				seen[x]++
			}
		}
		if len(seen) != ex.Len() {
			t.Errorf("%s: %d rows of %d are kept once", o.Name(), len(seen), ex.Len())
		}
	}
}

// two are rows of two classes whose means lie apart, and the direction in which they do.
func two(rng *rand.Rand, rows int, apart float64) Examples {
	ex := Examples{Features: 2}
	for range rows {
		y := float64(2*rng.IntN(2) - 1)
		ex.X, ex.Y = append(ex.X, y*apart+rng.NormFloat64(), rng.NormFloat64()), append(ex.Y, y)
	}
	return ex
}

// The last step at home minimises the loss plus the penalty around the joint model: there the gradient vanishes.
func TestAtHomeMinimisesNearTheJointModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, o := range []Objective{{Model: Logistic{}}, {Model: NewMultinomial(2, false, nil)}, {Model: Ridge{}}, {Model: Hinge{}}} {
		ex := two(rng, 100, 1)
		if _, many := o.Model.(Multinomial); many {
			for i, y := range ex.Y {
				ex.Y[i] = (y + 1) / 2
			}
		}
		joint := make([]float64, o.Params(2))
		for i := range joint {
			joint[i] = rng.NormFloat64()
		}
		fit := o.AtHome(ex, joint, 30)
		if math.IsInf(fit.Weight, 1) {
			t.Fatalf("%s: the joint model, which follows nothing, stayed", o.Name())
		}
		fit.Theta, fit.Near = o.Refit(ex, joint, Fit{Weight: fit.Weight, Near: true}, 3000), true
		o.L2 = fit.Weight
		slope, scratch := make([]float64, len(joint)), make([]float64, len(joint))
		o.slopeAt(NewBatch(o.Model), slope, scratch, fit.Theta, joint, ex)
		for i, g := range slope {
			if math.Abs(g) > 1e-3 {
				t.Errorf("%s: the slope of parameter %d is %g", o.Name(), i, g)
			}
		}
	}
}

// A joint model that many rows have found stays where own rows are few; one that is wrong goes. A false alarm takes that 25 rows
// of pure noise, or 400 with a signal, mislead 10 folds: the seeds are fixed.
func TestAtHomeChoosesByOwnRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	o := Objective{Model: Logistic{}}
	good := o.Minimise(two(rng, 20000, 1), nil, 300)
	if fit := o.AtHome(two(rng, 9, 1), good, 300); !math.IsInf(fit.Weight, 1) {
		t.Errorf("with 9 rows the penalty weighs %g", fit.Weight)
	}
	few := two(rng, 25, 1)
	home, alone, tests := o.AtHome(few, good, 300), o.Tuned(few, nil, 300), two(rng, 5000, 1)
	loss := func(theta []float64) float64 { loss, _ := o.Score(theta, tests); return loss }
	if loss(home.Theta) > loss(alone.Theta) {
		t.Errorf("at home the loss is %g, alone %g", loss(home.Theta), loss(alone.Theta))
	}
	wrong := []float64{-3, 2}
	if fit := o.AtHome(two(rng, 400, 1), wrong, 300); loss(fit.Theta) > loss(wrong)/2 {
		t.Errorf("a wrong joint model has loss %g, at home it is still %g", loss(wrong), loss(fit.Theta))
	}
}
