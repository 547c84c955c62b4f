package papers

import (
	"context"
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sim"
)

// lasso reproduces the experiment of the paper behind 002 chapter 8: LASSO on 1000 rows with 64 features, 8
// of them relevant, by private ADMM and by DP proximal SGD.
func lasso() Study {
	s := Study{ID: "002-admm-lasso", Title: "LASSO by private ADMM and by DP proximal SGD",
		Source: "002 chapter 8 (Cyffers, Bellet and Basu 2023, experiments)"}
	s.compute = func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
		return lassoSetting{
			nodes: 1000, features: 64, support: 8, weight: 0.001, trials: 5, epsilons: []float64{0.01, 0.05, 0.1, 0.5, 1, 5},
			rounds: []int{5, 20, 60}, drawn: []int{20, 100, 400}, clips: []float64{0.1, 0.3},
			gradient: []float64{0.02, 0.1, 0.5, 2, 10, 40}, gammas: []float64{0.02, 0.1, 0.5, 2, 10, 40}, visits: []int{2, 20}, patience: 1000,
		}.run(ctx, say)
	}
	s.quick = func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
		return lassoSetting{
			nodes: 200, features: 16, support: 4, weight: 0.002, trials: 2, epsilons: []float64{0.1, 5},
			rounds: []int{8}, drawn: []int{30}, clips: []float64{0.3}, gradient: []float64{0.1, 3, 12},
			gammas: []float64{0.1, 3, 12}, visits: []int{4}, patience: 150,
		}.run(ctx, say)
	}
	return s
}

// A lassoSetting holds the data of the comparison, and the parameters for tuning each method.
type lassoSetting struct {
	nodes, features, support int
	weight                   float64 // of the l1 penalty
	trials                   int
	epsilons                 []float64 // at delta 1e-6

	rounds, drawn    []int // rounds with all nodes, and with a tenth
	visits           []int // turns of a node in a walk
	clips            []float64
	gradient, gammas []float64 // step sizes and parameters of proximal operators
	patience         int       // rounds of methods without noise
}

// lassoDelta is the delta of every epsilon.
const lassoDelta = 1e-6

// A lassoMethod is one method of training.
type lassoMethod struct {
	name      string
	algorithm string // in spec notation, with placeholders for the rounds, the size and the clip
	sizes     []float64
	rounds    []int
	printed   string // accountant as printed; "": none is printed, and sound is used
	sound     string
	merged    int // number of users whose updates 002 section E.3.3 merges before it charges a round; 0: priced by an accountant
}

// methods returns DP proximal SGD and ADMM, with full and with partial participation.
func (l lassoSetting) methods() []lassoMethod {
	some, n := l.nodes/10, l.nodes
	turns := make([]int, len(l.visits))
	for i, v := range l.visits {
		turns[i] = v * n
	}
	return []lassoMethod{
		{name: "proximal SGD, all rows",
			algorithm: fmt.Sprintf("kind: fixed-point, instance: proximal-sgd, draw: %d, fill: false, steps: %%d, step_size: %%g, clip: %%g", n),
			sizes:     l.gradient, rounds: l.rounds, sound: "tight"},
		{name: "proximal SGD, a tenth of the rows",
			algorithm: fmt.Sprintf("kind: fixed-point, instance: proximal-sgd, draw: %d, fill: false, steps: %%d, step_size: %%g, clip: %%g", some),
			sizes:     l.gradient, rounds: l.drawn, sound: "tight"},
		{name: "ADMM, central", algorithm: "kind: admm-central, fill: false, steps: %d, gamma: %g, clip: %g", sizes: l.gammas, rounds: l.rounds,
			printed: "published", sound: "means"},
		{name: "ADMM, federated, a tenth of the users",
			algorithm: fmt.Sprintf("kind: admm-federated, sampled: %d, fill: false, steps: %%d, gamma: %%g, clip: %%g", some),
			sizes:     l.gammas, rounds: l.drawn, printed: "published", sound: "local", merged: some},
		{name: "ADMM, walk", algorithm: "kind: admm-walk, fill: false, steps: %d, gamma: %g, clip: %g", sizes: l.gammas, rounds: turns,
			printed: "published", sound: "local"},
	}
}

// open returns a method with given parameters, priced by an accountant. If eps is 0 sigma is 0.
func (l lassoSetting) open(ctx context.Context, algorithm, accountant string, eps float64) (*experiment.Prepared, error) {
	p := "sigma: 0"
	if eps > 0 {
		p = fmt.Sprintf("accountant: %s, calibrate: {max: %g}, metric: {epsilon_at_delta: %g}", accountant, eps, lassoDelta)
		if accountant == "published" && strings.Contains(algorithm, "admm-walk") {
			p, algorithm = p+", sender: hidden", algorithm+", route: secret" // as in Theorem 8.12
		}
	}
	if strings.Contains(algorithm, "admm-walk") {
		algorithm += fmt.Sprintf(", contributions: %d", l.cap(algorithm))
	}
	text := fmt.Sprintf("seed: 1\ndata: {source: sparse-regression, features: %d, support: %d, test: 0.8}\ngraph: complete:%d\n"+
		"model: {kind: ridge, intercept: false, regulariser: {kind: l1, weight: %g}}\nalgorithm: {%s}\nprivacy: {%s}\n",
		l.features, l.support, l.nodes, l.weight, algorithm, p)
	s, err := experiment.Parse([]byte(text), "papers/lasso")
	if err != nil {
		return nil, err
	}
	return experiment.Open(ctx, s, nil)
}

// cap returns 1.2 times the mean number of turns of a node.
func (l lassoSetting) cap(algorithm string) (turns int) {
	_, after, _ := strings.Cut(algorithm, "steps: ")
	fmt.Sscan(after, &turns)
	return int(math.Ceil(1.2 * float64(turns) / float64(l.nodes)))
}

// A lassoRun is the result of a method with its parameters, on held-out rows.
type lassoRun struct {
	rounds     int
	size, clip float64
	sigma      float64
	end, least float64 // mean over trials of the final objective, and of the least one during the run
	tuned      float64 // final, on the rows for tuning
}

// split divides the held-out rows into a part for choosing parameters, and a part for nothing but the result.
func split(test model.Examples) (tuning, held model.Examples) {
	return test.Slice(0, test.Len()/2), test.Slice(test.Len()/2, test.Len())
}

func objectiveOn(p *experiment.Prepared, theta []float64, rows model.Examples) float64 {
	loss, _ := p.Objective.Score(theta, rows)
	return loss + p.Objective.Penalty(theta)
}

// best tries all parameters of a method at a loss, once each. It keeps those with the lowest final objective
// on the rows for tuning, and runs them on the others.
func (l lassoSetting) best(ctx context.Context, m lassoMethod, basis Basis, eps float64, known map[string]float64) (best lassoRun, err error) {
	best.tuned = math.Inf(1)
	var chosen family.Algorithm
	for _, rounds := range m.rounds {
		for _, clip := range l.clips {
			for _, size := range m.sizes {
				p, err := l.open(ctx, fmt.Sprintf(m.algorithm, rounds, size, clip), m.accountant(basis), eps)
				if err != nil {
					return best, err
				}
				one := lassoRun{rounds: rounds, size: size, clip: clip}
				if one.sigma, err = l.sigma(ctx, p, m, basis, one, eps, known); err != nil {
					return best, err
				}
				noisy, err := p.Algorithm.WithNoise(one.sigma)
				if err != nil {
					return best, err
				}
				tuning, _ := split(p.Test)
				theta, err := noisy.Trial(ctx, experiment.TrialSeed(p.Spec.Seed, l.trials), func(int, []float64, float64) {})
				if err != nil {
					return best, err
				}
				if one.tuned = objectiveOn(p, theta, tuning); one.tuned < best.tuned {
					best, chosen = one, noisy
				}
			}
		}
	}
	if chosen == nil {
		return best, fmt.Errorf("no parameters of %s end anywhere", m.name)
	}
	return best, l.held(ctx, chosen, &best)
}

func (m lassoMethod) accountant(basis Basis) string {
	if basis == AsPublished && m.printed != "" {
		return m.printed
	}
	return m.sound
}

// sigma returns the noise multiplier of a method, from known if it is there. No multiplier depends on the
// clip. Only that of the proved bound for ADMM with a curator depends on the size. Federated ADMM as
// published, computed (002 section E.3.3), divides the loss of an update by the square of the number of
// merged users, which is no bound (docs/PAPERS.md), and then subsamples them.
func (l lassoSetting) sigma(ctx context.Context, p *experiment.Prepared, m lassoMethod, basis Basis, r lassoRun, eps float64,
	known map[string]float64) (float64, error) {
	key := fmt.Sprint(m.name, r.rounds, eps, m.accountant(basis))
	if m.accountant(basis) == "means" {
		key += fmt.Sprint(r.size)
	}
	if sigma, found := known[key]; found {
		return sigma, nil
	}
	if basis == AsPublished && m.merged > 0 {
		noise, _, err := privacy.Central{Nodes: l.nodes, Steps: r.rounds, Drawn: m.merged}.Tight(eps,
			privacy.Metric{Delta: lassoDelta, Conversion: privacy.Tightest})
		known[key] = noise.Multiplier / float64(m.merged)
		return known[key], err
	}
	_, priced, err := family.SetNoise(ctx, p.Algorithm)
	known[key] = priced.Sigma
	return priced.Sigma, err
}

// held runs a method on the rows that were not used for any choice.
func (l lassoSetting) held(ctx context.Context, a family.Algorithm, r *lassoRun) error {
	h := a.Of()
	_, rows := split(h.Test)
	at := func(theta []float64) float64 {
		loss, _ := h.Objective.Score(theta, rows)
		return loss + h.Objective.Penalty(theta)
	}
	ends, leasts := make([]float64, l.trials), make([]float64, l.trials)
	every := max(1, r.rounds/60)
	err := sim.Each(ctx, l.trials, workers(), func(ctx context.Context, i int) error {
		leasts[i] = math.Inf(1)
		theta, err := a.Trial(ctx, experiment.TrialSeed(h.Spec.Seed, i), func(done int, theta []float64, _ float64) {
			if done%every == 0 {
				leasts[i] = min(leasts[i], at(theta))
			}
		})
		if err == nil {
			ends[i] = at(theta)
			leasts[i] = min(leasts[i], ends[i])
		}
		return err
	})
	r.end, r.least = 0, 0
	for i := range ends {
		r.end, r.least = r.end+ends[i]/float64(l.trials), r.least+leasts[i]/float64(l.trials)
	}
	return err
}
