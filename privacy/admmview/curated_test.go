package admmview

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

func someCurated(t *rapid.T) Curated {
	return Curated{Step{
		Lambda:      rapid.SampledFrom([]float64{0.5, 0.2, 0.8, 1}).Draw(t, "lambda"),
		Memory:      rapid.SampledFrom([]float64{0, 0.3, 0.9}).Draw(t, "memory"),
		Shrink:      rapid.SampledFrom([]float64{0, 0.4, 0.9}).Draw(t, "shrink"),
		Kept:        rapid.Bool().Draw(t, "kept"),
		Regularised: rapid.Bool().Draw(t, "regularised"),
	}, rapid.IntRange(1, 8).Draw(t, "nodes"), rapid.IntRange(1, 9).Draw(t, "rounds")}
}

// No affine losses leak more than a round of all is charged.
func TestNoAttackIsAboveRoundsOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := someCurated(t)
		r := draws(t)
		a := attack{nodes: c.Nodes, step: c.Step}
		for range c.Rounds {
			for j := range c.Nodes {
				a.acts = append(a.acts, act{holder: j, start: j == 0})
			}
			a.acts = append(a.acts, act{look: true})
		}
		for i := range a.acts {
			a.change(i, r)
		}
		energy, err := c.Energy()
		if leaks := a.worsened(rapid.IntRange(0, 30).Draw(t, "climb"), r); err != nil || leaks > energy*(1+1e-8) {
			t.Fatalf("%+v leaks %g, charged %g (%v)", c, leaks, energy, err)
		}
	})
}

// The closed form, and that of two iterations on slopes, which TestTheorem87IsNotABound computes: 1/n.
func TestRoundsOfAllInClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Curated{Step{Lambda: rapid.Float64Range(0.01, 0.5).Draw(t, "lambda"), Memory: rapid.Float64Range(0.01, 1).Draw(t, "memory")},
			rapid.IntRange(2, 5000).Draw(t, "nodes"), rapid.IntRange(1, 50).Draw(t, "rounds")}
		q := 1 + c.Memory
		energy, err := c.Energy()
		if most := float64(c.Rounds) * q * q / (q*q + float64(c.Nodes-1)); err != nil || energy > most*(1+1e-8) {
			t.Fatalf("%g, closed form %g (%v)", energy, most, err)
		}
		c.Rounds = 1
		one, err := c.Energy()
		if least := 1 / float64(c.Nodes); err != nil || one < least || one > least*1.01 {
			t.Fatalf("one round costs %g, slopes leak %g (%v)", one, least, err)
		}
	})
}

func TestRoundsOfAllAsLoss(t *testing.T) {
	c, m := Curated{Step{Lambda: 0.5}, 100, 20}, privacy.Metric{Delta: 1e-6}
	noise, _, err := c.Tight(someADMM, 0.8, m)
	if err != nil || noise.Status != privacy.SoundIf {
		t.Fatal(noise, err)
	}
	loss, claim, err := c.Loss(someADMM.WithMultiplier(noise.Multiplier), m)
	if err != nil || math.Abs(loss-0.8) > 1e-6 || claim.Status != privacy.SoundIf {
		t.Errorf("%g %v %v", loss, claim, err)
	}
	local, _, err := someADMM.LocalTight(20, 0.8, m)
	if ratio := local.Multiplier / noise.Multiplier; err != nil || math.Abs(ratio-math.Sqrt(103.0/4)) > 0.5 {
		t.Errorf("amplifies noise %g times (%v)", ratio, err)
	}
	if c.OnGrid(2, 0) < 2 || c.OnGrid(2, 1e-3) <= 2 {
		t.Error("the price of a grid")
	}
	for _, wrong := range []Curated{{Step{Lambda: 0.5}, 0, 1}, {Step{Lambda: 0.5}, 1, 0}, {Step{}, 1, 1}, {Step{Lambda: 1.1}, 1, 1},
		{Step{Lambda: 1, Memory: -1}, 1, 1}, {Step{Lambda: 1, Inexact: math.NaN()}, 1, 1}} {
		if _, err := wrong.Energy(); err == nil {
			t.Errorf("%+v was accepted", wrong)
		}
	}
}
