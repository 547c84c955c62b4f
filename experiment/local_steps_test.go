package experiment

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// Local steps need a clip of their sum, and cost nothing: the losses are those of one step, and the run is another.
func TestLocalStepsChangeTheRunAndNoNumber(t *testing.T) {
	testdata.Sequential(t)
	for _, algorithm := range []string{"kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3", "kind: gossip-sgd, batch: 4, steps: 5, step_size: 0.5, clip: 0.3, pairwise: 5",
		"kind: central, steps: 50, step_size: 0.1, clip: 0.3"} {
		accountant := map[bool]string{true: "pairwise", false: "local"}[strings.Contains(algorithm, "pairwise")]
		if strings.Contains(algorithm, "central") {
			accountant = "tight"
		}
		var loss, first []float64
		for _, local := range []string{"", ", local_steps: 1", ", local_steps: 4"} {
			s, err := clippingMeans(algorithm+", clip_each: mean"+local, "sigma: 4, accountant: "+accountant)
			if err != nil {
				t.Fatal(err)
			}
			p := prepare(t, s)
			last, err := p.Algorithm.Trial(t.Context(), 1, func(int, []float64, float64) {})
			if err != nil || p.Algorithm.Local().Noise.Sensitivity() != 0.6 {
				t.Fatal(algorithm, err)
			}
			loss, first = append(loss, float64(p.Accounting.Accounts[0].Max)), append(first, last[0])
		}
		if loss[0] != loss[2] || first[0] != first[1] || first[0] == first[2] {
			t.Errorf("%s: losses %v, a parameter %v", algorithm, loss, first)
		}
	}
	const gd, local = "kind: gossip-gd, steps: 5, step_size: 0.5, clip: 0.3, local_steps: 3", "sigma: 4, accountant: local"
	for _, c := range [][3]string{
		{gd, local, "clip_each is row"},
		{gd + ", clip_each: mean", "unit: record, " + local, "one record can turn"},
		{gd + ", clip_each: mean", "sigma: 4, accountant: flow", "along clipped means"},
		{gd + ", clip_each: mean, radius: 1", local, "cuts steps off"},
		{strings.Replace(gd, "local_steps: 3", "local_steps: -1", 1), local, "local_steps"},
		{strings.Replace(gd, "gossip-gd", "walk", 1), "sigma: 4", "of kind walk"},
	} {
		s, err := clippingMeans(c[0], c[1])
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c[2]) || fault.Hint(err) == "" {
			t.Errorf("%s with %s: %v (hint: %s)", c[0], c[1], err, fault.Hint(err))
		}
	}
}
