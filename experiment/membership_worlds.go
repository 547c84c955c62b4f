package experiment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// worlds returns the spec's algorithm on two data sets that differ as the accountants' do. words states the difference.
func (s *Priced) worlds(ctx context.Context, q *MembershipQuestion) (worlds [2]family.Algorithm, words string, err error) {
	var rows [2]model.Examples
	v, local := step.NodeID(q.Target), s.Algorithm.Local()
	held := s.Examples.Examples(v)
	what := "all rows of " + s.Name(q.Target)
	if s.Spec.Records() {
		what = fmt.Sprintf("%s %d of %s", s.Spec.RecordWord(), q.Row, s.Name(q.Target))
	}
	if q.Canary == CanaryWorst {
		if s.Spec.Records() {
			what = s.Spec.OneRecord() + " of " + s.Name(q.Target)
		}
		rows = [2]model.Examples{s.Canary(local, v, 1), s.Canary(local, v, -1)}
		words = what + " as far apart as the bounds of the data allow"
	} else {
		from, count := 0, held.Len()
		if s.Spec.Records() {
			count = s.Spec.RecordRows()
			from = q.Row * count
		}
		other, whose, err := s.others(q.Target, count)
		if err != nil {
			return worlds, "", err
		}
		rows = [2]model.Examples{held, family.Replaced(held, from, other)}
		words = fmt.Sprintf("%s as they are, or replaced by %s", what, whose)
	}
	for w := range worlds {
		if worlds[w], err = s.world(ctx, map[int]model.Examples{q.Target: rows[w]}); err != nil {
			return worlds, "", err
		}
	}
	return worlds, words, nil
}

// others returns count rows like those of a node: rows kept for testing, or else other nodes' in turn.
func (s *Priced) others(target, count int) (ex model.Examples, whose string, err error) {
	pool, whose := s.Test, "rows that were kept for testing"
	if pool.Len() == 0 {
		pool, whose = model.Examples{Features: s.Train.Features}, "rows of other nodes"
		for v := range s.Spec.Nodes {
			if v != target && pool.Len() < count {
				of := s.Examples.Examples(step.NodeID(v))
				pool.X, pool.Y = append(pool.X, of.X...), append(pool.Y, of.Y...)
			}
		}
	}
	if pool.Len() == 0 {
		return ex, "", fault.New("there are no other rows that could stand in the place of "+s.Name(target)+"'s", "use --canary worst")
	}
	ex.Features = pool.Features
	for i := range count {
		x, y := pool.Row(i % pool.Len())
		ex.X, ex.Y = append(ex.X, x...), append(ex.Y, y)
	}
	return ex, whose, nil
}

// world returns the algorithm with other rows at some nodes, as many as before.
func (s *Priced) world(ctx context.Context, rows map[int]model.Examples) (family.Algorithm, error) {
	h := *s.Algorithm.Of()
	slab := *h.Examples.(*sim.Slab)
	slab.X, slab.Y = slices.Clone(slab.X), slices.Clone(slab.Y)
	for v, own := range rows {
		from := slab.Offsets[v]
		copy(slab.X[from*slab.Features:], own.X)
		copy(slab.Y[from:], own.Y)
	}
	h.Train, h.Resplit, h.Watch = slab.All(), nil, nil
	slab.Norms = model.Norms(h.Objective.Model, h.Train)
	h.Examples = &slab
	prepared, err := family.Of(h.Spec).Prepare(ctx, h)
	if err != nil {
		return nil, err
	}
	noise := s.Algorithm.Local().Noise
	again, err := prepared.WithNoise(noise.Multiplier)
	if err == nil && (!slices.Equal(again.Local().Noise.Sensitivities(), noise.Sensitivities()) || again.Turns() != s.Algorithm.Turns()) {
		panic("experiment: a neighbouring data set has another protocol")
	}
	return again, err
}

// reach returns the distance between the first contributions of a node in two worlds, as a share of its sensitivity. It returns NaN
// if that is not known.
func reach(worlds [2]family.Algorithm, target int) float64 {
	var moved [2][]float64
	v := step.NodeID(target)
	for w, a := range worlds {
		local := *a.Local()
		if a.Scales() == nil || math.IsInf(local.Noise.Clip, 1) {
			return math.NaN()
		}
		local.Noise.Multiplier = 0
		x := make([]float64, local.Params)
		copy(x, local.Initial)
		ex := a.Of().Examples.Examples(v)
		descent.NewKernel(&local, noise.NewSimulated(0)).Contribute(x, &ex, a.Scales()[target], 0, &step.Release{From: v})
		moved[w] = x
	}
	local := worlds[0].Local()
	sparse.Axpy(moved[0], -1, moved[1])
	return sparse.Norm(moved[0]) / (local.StepSize.At(0) * local.Noise.SensitivityOf(v))
}
