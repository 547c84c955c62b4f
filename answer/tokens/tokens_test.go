package tokens

import (
	"context"
	"io"
	"math"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// walkSpecs are small specs of every kind whose tokens are attacked.
var walkSpecs = map[string]string{
	"walk":     "{kind: walk, steps: 20, step_size: 0.1, clip: 1, contributions: 6}",
	"tokens":   "{kind: walk, steps: 12, tokens: 2, step_size: 0.1, clip: 1, contributions: 6}",
	"weighted": "{kind: weighted-walk, steps: 16, step_size: 0.1, clip: 1, contributions: 6, constants: {mechanism: laplace, least: 1, most: 6, epsilon: 1}}",
	"sum":      "{kind: averaging-walk, steps: 20, clip: 1, contributions: 5}",
	"ring":     "{kind: ring-sum, rounds: 2, clip: 1}",
	"complete": "{kind: complete-sum, steps: 20, clip: 1, contributions: 5}",
}

// What an attack proves of a planned run is never above what the sound accountant allows, whoever attacks and whatever is
// known of the route, for either unit of privacy; nor is any estimate nearer than the floor. Proofs are false with probability 0.01 a
// spec at most; seeds are fixed.
func TestAttackWalkProvesNoMoreThanIsAllowed(t *testing.T) {
	testdata.Sequential(t)
	for name, algorithm := range walkSpecs {
		data, model := "{source: two-gaussians, features: 2, rows: 2, normalise: unit}", "{kind: logistic, l2: 0.1}"
		if name == "sum" || name == "ring" || name == "complete" {
			data, model = "{source: mean, features: 2, centre: 0.5, variance: 0.04}", "{kind: mean}"
		}
		where := "graph: ring:5"
		if name == "complete" {
			where = "nodes: 5"
		}
		text := "seed: 3\ndata: " + data + "\nmodel: " + model + "\n" + where + "\nalgorithm: " + algorithm + "\nprivacy: {sigma: 2, metric: {epsilon_at_delta: 0.01}}\n"
		s, err := experiment.Parse([]byte(text), name)
		if err != nil {
			t.Fatal(name, err)
		}
		priced, carriage, err := openCarriage(context.Background(), s, func(string) {})
		if err != nil {
			t.Fatal(name, err)
		}
		knows := []walklikelihood.Knowledge{walklikelihood.Route}
		if carriage.Walk != nil {
			knows = []walklikelihood.Knowledge{walklikelihood.Route, walklikelihood.Ends, walklikelihood.Hops}
		}
		for _, k := range knows {
			w := &walkAttack{Priced: priced, carriage: carriage, sets: [][]int{{0}, {1, 3}}, knows: k, runs: 100, say: func(string) {}, pulse: terminal.NewPulse(io.Discard, time.Now)}
			answer, err := w.audit(context.Background())
			if err != nil {
				t.Fatal(name, err)
			}
			proofs := 0
			for _, one := range answer.Attacks {
				for _, target := range one.Targets {
					for _, eps := range []float64{float64(target.Proved), float64(target.Route)} {
						if eps > float64(target.Sound)*(1+1e-9) {
							t.Errorf("%s: attackers %v prove %g of node %d, and %g is allowed", name, one.Attackers, eps, target.Node, float64(target.Sound))
						}
						if eps > 0 {
							proofs++
						}
					}
					if math.IsNaN(float64(target.Sound)) || target.Std < target.Floor*(1-1e-9) {
						t.Errorf("%s: node %d may lose %g, and is estimated to %g where the floor is %g", name, target.Node, float64(target.Sound), float64(target.Std), float64(target.Floor))
					}
				}
			}
			if proofs == 0 {
				t.Errorf("%s: nothing was proved", name)
			}
		}
	}
}

// Behind an attacker with many neighbours hidden paths are followed as far as that takes a bounded time, which is said; behind one with few
// they are followed all the way.
func TestHiddenPathsAreFollowedInBoundedTime(t *testing.T) {
	for where, all := range map[string]bool{"er:n=520,p=0.3,seed=1": false, "ring:520": true} {
		text := "seed: 3\ndata: {source: two-gaussians, features: 2, rows: 2, normalise: unit}\nmodel: {kind: logistic}\ngraph: '" + where +
			"'\nalgorithm: {kind: walk, steps: 2000, step_size: 0.1, clip: 1, contributions: 20}\nprivacy: {sigma: 2}\n"
		s, err := experiment.Parse([]byte(text), where)
		if err != nil {
			t.Fatal(err)
		}
		priced, carriage, err := openCarriage(context.Background(), s, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		w := &walkAttack{Priced: priced, carriage: carriage, sets: [][]int{{0}}, knows: walklikelihood.Ends,
			answer: &Answer{Sees: "ends", Attacks: []Case{{Targets: make([]Target, 1)}}}}
		p := &prover{walkAttack: w, runs: 1000}
		p.longest = p.followed()
		p.notProved(1)
		beginnings, entries := p.beginnings()
		if work := beginnings * entries * float64(p.longest); all != (p.longest == hiddenLongest) || work > hiddenAlone || !all && p.longest < 8 {
			t.Errorf("%s: paths of %d turns are followed, %g multiplications", where, p.longest, work)
		}
		if said := len(w.answer.Notes) == 1; said == all {
			t.Errorf("%s: %q", where, w.answer.Notes)
		}
	}
}
