package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// figure61c reproduces 002 Figure 6.1c: Muffliato-GD over an Erdos-Renyi graph
// that is redrawn for every gradient, beside a trusted server that averages
// the same noisy updates.
func figure61c() Study {
	s := Study{
		ID: "002-figure-6.1c", Title: "Muffliato-GD on Houses with a graph redrawn for every gradient",
		Source: "002 Figure 6.1c; 001 Figure 1c", Data: "houses/houses.csv", judge: sameAccuracy,
		compute: redrawn{sizes: []int{2000, 4000}, rounds: gradientRounds, draws: 5}.run,
		quick:   redrawn{sizes: []int{500, 1500}, rounds: 4, draws: 1}.run,
	}
	for _, n := range []int{2000, 4000} {
		s.Variants = append(s.Variants,
			Variant{Name: fmt.Sprintf("gossip, n=%d", n), change: redrawing(n)},
			Variant{Name: fmt.Sprintf("trusted server, n=%d", n), change: trusted(n)},
		)
	}
	return s
}

// redrawing uses q = 1.5 ln(n)/n. 002 Table C.1 prints ln(n)/n, at which
// nearly two graphs in three are not connected.
func redrawing(n int) func(*spec.Spec) {
	return func(s *spec.Spec) {
		trusted(n)(s)
		s.Graph = sparseRandom(n)
		gossipfamily.KeysOf(s).TurnsPerRound, gossipfamily.KeysOf(s).Redraw = randomSteps(n), 1
	}
}

// trusted averages the noisy updates of all nodes: one step on the complete
// graph.
func trusted(n int) func(*spec.Spec) {
	return func(s *spec.Spec) {
		sigma := 8.0
		onGossip(fmt.Sprintf("complete:%d", n), "local", 1)(s)
		s.Privacy.Calibrate, s.Privacy.Sigma = nil, &sigma
		s.Data.Rows = 16000 / n
		gossipfamily.KeysOf(s).TurnsPerRound, s.Trials = 1, 10
	}
}

func sparseRandom(n int) string {
	return fmt.Sprintf("er:n=%d,p=%.5f,connected", n, 1.5*math.Log(float64(n))/float64(n))
}

// randomSteps returns ln n over the root of a spectral gap of 0.09. The gaps
// of twelve graphs of sparseRandom with 2000 or 4000 nodes lay between 0.047
// and 0.18.
func randomSteps(n int) int { return int(math.Ceil(math.Log(float64(n)) / 0.3)) }

// sameAccuracy compares each pair of outcomes: gossip, trusted server.
func sameAccuracy(outcomes []Outcome) (checks []Check) {
	for i := 0; i+1 < len(outcomes); i += 2 {
		gossip, _ := outcomes[i].Accuracy()
		server, _ := outcomes[i+1].Accuracy()
		checks = append(checks, Check{outcomes[i].Variant.Name + ": as accurate as a trusted server", AsPublished, math.Abs(gossip-server) < 0.02,
			fmt.Sprintf("accuracy %.4f against %.4f", gossip, server)})
	}
	return checks
}

// A redrawn study prices such runs towards node 0, because all nodes are
// exchangeable.
type redrawn struct {
	sizes  []int
	rounds int // number of gradients
	draws  int // rounds whose views are computed exactly
}

func (r redrawn) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	f := &Findings{Tables: []Table{{Name: "losses", Header: []string{"nodes", "steps", "rounds", "status", "mean", "std", "max", "local"}}}}
	panel := Panel{Title: "loss towards node 0, by rank", X: "share of nodes", Y: localUnit}
	var sums struct{ means, deviations []float64 }
	for _, n := range r.sizes {
		published, exact, err := r.price(ctx, n)
		if err != nil {
			return nil, err
		}
		say(fmt.Sprintf("n=%d: priced %d rounds", n, r.rounds))
		for _, side := range []struct {
			status report.Status
			losses []float64
			rounds int
		}{{report.Published, published, r.rounds}, {"exact, fixed inputs only", exact, min(r.rounds, r.draws)}} {
			mean, deviation := moments(side.losses, 0)
			f.Tables[0].Rows = append(f.Tables[0].Rows, []string{fmt.Sprint(n), fmt.Sprint(randomSteps(n)), fmt.Sprint(side.rounds), string(side.status),
				decimal(mean), decimal(deviation), decimal(largest(side.losses[1:])), fmt.Sprint(side.rounds)})
			if side.status == report.Published {
				sums.means, sums.deviations = append(sums.means, mean), append(sums.deviations, deviation)
			}
		}
		panel.Lines = append(panel.Lines, ranked(fmt.Sprintf("n=%d, published", n), published[1:]),
			ranked(fmt.Sprintf("n=%d, all public", n), constant(len(published)-1, float64(r.rounds))))
	}
	f.Charts = []Chart{{"losses", []Panel{panel}}}
	f.judge(&sums, func() []Check { return redrawnChecks(sums.means, sums.deviations, float64(r.rounds)) })
	return f, nil
}

// price adds 002 equation 6.3 towards node 0 over rounds, and the leakage over
// the first draws rounds.
func (r redrawn) price(ctx context.Context, n int) (published, exact []float64, err error) {
	steps := randomSteps(n)
	graphs, err := gen.Redrawn(sparseRandom(n), "hamilton", 1, 1)
	if err != nil {
		return nil, nil, err
	}
	published, exact = make([]float64, n), make([]float64, n)
	for t := range r.rounds {
		w := copied(graphs.Matrix(step.Turn(t)))
		sumTowards(published, w, 0, steps)
		if t >= r.draws {
			continue
		}
		accountant, err := gossipview.New(w, steps)
		if err != nil {
			return nil, nil, err
		}
		view, err := accountant.View([]int{0})
		if err != nil {
			return nil, nil, err
		}
		for u := range exact {
			exact[u] += view.Leakage(u)
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return published, exact, nil
}

func redrawnChecks(means, deviations []float64, local float64) []Check {
	last := len(means) - 1
	return []Check{
		{"redrawn graphs amplify privacy towards all nodes", AsPublished, means[0] < local/2,
			fmt.Sprintf("mean loss %.3g of %g if all were public", means[0], local)},
		{"gains grow with the number of nodes", AsPublished, means[last] < means[0], fmt.Sprintf("mean losses %.3g", means)},
		{"losses concentrate better as nodes grow in number", AsPublished, deviations[last] < deviations[0], fmt.Sprintf("standard deviations %.3g", deviations)},
	}
}
