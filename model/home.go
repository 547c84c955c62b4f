package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Folds is the number of parts that own rows are cut into to choose a penalty. Fewer than LeastTuned rows are not cut.
const (
	Folds      = 10
	LeastTuned = 10
)

// TunedWork is the cost, in single fits, of the two chosen fits: alone, from 5 choices, and with a joint model, from 9.
const TunedWork = 5*Folds + 1 + 9*Folds + 1

// A Fit is a model that one participant fits to its own rows: Theta minimises their mean loss plus
// Weight/2 norm(theta - centre)^2. The centre is the joint model if Near is set, and else 0.
type Fit struct {
	Theta  []float64
	Weight float64 // +Inf: the joint model as it is
	Near   bool
}

// Tuned fits a model to the rows of a participant alone. The weight, that of the objective or one of 0.001, 0.01, 0.1 and 1, leaves
// the least loss on own rows that were not fitted, by 10-fold cross-validation. Fewer than 10 rows are fitted with the objective's.
// own must not be empty.
func (o Objective) Tuned(own Examples, start []float64, iterations int) Fit {
	return o.validated(own, start, append([]Fit{{Weight: o.L2}}, alone...), iterations)
}

// AtHome fits a model to the rows of a participant that has a joint model. It chooses as Tuned does, among the joint model, fits near
// it and fits alone, with weights of 0.001, 0.01, 0.1 and 1; with fewer than 10 rows the joint model stays. The joint model has seen
// own rows, so that the choice leans towards it.
func (o Objective) AtHome(own Examples, joint []float64, iterations int) Fit {
	choice := []Fit{{Weight: math.Inf(1), Near: true}}
	for _, f := range alone {
		choice = append(choice, Fit{Weight: f.Weight, Near: true})
	}
	return o.validated(own, joint, append(choice, alone...), iterations)
}

// alone lists fits with the weights that a participant tries.
var alone = []Fit{{Weight: 0.001}, {Weight: 0.01}, {Weight: 0.1}, {Weight: 1}}

// Refit returns the parameters that a choice comes to on some rows; start is the joint model where it is near one.
func (o Objective) Refit(rows Examples, start []float64, choice Fit, iterations int) []float64 {
	if math.IsInf(choice.Weight, 1) {
		return start
	}
	o.L2 = choice.Weight
	if choice.Near {
		return o.minimise(rows, start, start, iterations)
	}
	return o.Minimise(rows, start, iterations)
}

// validated returns the choice whose fits leave the least loss on rows that they have not seen, fitted to all rows. The first wins a
// tie. If there are fewer than LeastTuned rows, it takes the first choice.
func (o Objective) validated(own Examples, start []float64, choices []Fit, iterations int) Fit {
	best, least := choices[0], math.Inf(1)
	for _, choice := range choices {
		if own.Len() < LeastTuned {
			break
		}
		left := 0.0
		for fold := range Folds {
			learnt, kept := o.Fold(own, fold)
			if kept.Len() == 0 || learnt.Len() == 0 {
				continue
			}
			loss, _ := Objective{Model: o.Model}.Score(o.Refit(learnt, start, choice, iterations), kept)
			left += float64(loss * float64(kept.Len()))
		}
		if left < least {
			best, least = choice, left
		}
	}
	best.Theta = o.Refit(own, start, best, iterations)
	return best
}

// Fold cuts every tenth row off, from the fold-th on: of a classifier every tenth of each label.
func (o Objective) Fold(own Examples, fold int) (rest, kept Examples) {
	rest.Features, kept.Features = own.Features, own.Features
	seen, classifies := map[float64]int{}, o.Model.Guarantees(1).Classifies()
	for i := range own.Len() {
		x, y := own.Row(i)
		into, label := &rest, y
		if !classifies {
			label = 0
		}
		if seen[label]%Folds == fold {
			into = &kept
		}
		seen[label]++
		into.X, into.Y = append(into.X, x...), append(into.Y, y)
	}
	return rest, kept
}
