package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// tableC2 reproduces 002 Table C.2 with Figure C.5 = 001 Table 3 and Figure 6: gossip
// over graphs that are redrawn every step among the present users.
func tableC2() Study {
	return Study{
		ID: "002-table-c.2", Title: "Privacy loss and convergence of gossip under dropout, 1000 users",
		Source: "002 Table C.2, Figure C.5; 001 Table 3, Figure 6",
		compute: dropout{
			nodes: 1000, edge: 0.002, runs: 10, exact: 3, most: 20000,
			levels: []level{{0, 1.7e-2, 0.6e-2}, {0.1, 1.8e-2, 0.6e-2}, {0.5, 1.5e-2, 0.7e-2}, {0.9, 1.4e-2, 0.6e-2}},
		}.run,
		quick: dropout{nodes: 100, edge: 0.02, runs: 6, exact: 2, most: 5000, levels: []level{{away: 0}, {away: 0.5}, {away: 0.9}}}.run,
	}
}

// A dropout study averages until the mean squared distance from the mean is 1/n of its
// initial value, which is the noise in the mean itself.
type dropout struct {
	nodes  int
	edge   float64 // probability of an edge
	runs   int
	exact  int // observers whose leakage is computed, in the first run
	most   int // steps after which a run without convergence is stopped
	levels []level
}

// A level is a level of dropout with the loss that the paper prints for it.
type level struct{ away, paper, spread float64 }

// A course is one run: its steps, the losses from node 0 by step, and the distances of
// the values from the mean.
type course struct {
	steps    []*sparse.Matrix
	losses   []float64 // published, mean over observers
	apart    []float64 // mean squared distance from the mean, relative to the start
	meanLoss float64   // at the end, from node 0 towards the others
	deviance float64   // standard deviation of that loss over the others
}

func (d dropout) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"dropout", "steps", "published_loss", "std_of_runs", "std_of_pairs", "paper_loss", "paper_std",
		"exact_mean", "exact_max", "local"}}
	loss := Panel{Title: "mean loss from a node (published)", X: "step", Y: localUnit}
	apart := Panel{Title: "squared distance from the mean", X: "step", Y: "relative to the start"}
	var went converged
	for _, l := range d.levels {
		courses, err := d.courses(ctx, l.away)
		if err != nil {
			return nil, err
		}
		steps, mean, std, pairs := gathered(courses)
		exactMean, exactMax, err := d.exactly(courses[0])
		if err != nil {
			return nil, err
		}
		went.steps, went.losses = append(went.steps, math.Round(10*steps)/10), append(went.losses, mean)
		name := fmt.Sprintf("%g %% dropout", 100*l.away)
		say(fmt.Sprintf("%s: %.0f steps, loss %.4f +- %.4f", name, steps, mean, std))
		table.Rows = append(table.Rows, []string{fmt.Sprint(l.away), fmt.Sprintf("%.1f", steps), decimal(mean), decimal(std), decimal(pairs),
			decimal(l.paper), decimal(l.spread), decimal(exactMean), decimal(exactMax), "1"})
		loss.Lines = append(loss.Lines, thinned(name, courses[0].losses))
		apart.Lines = append(apart.Lines, thinned(name, courses[0].apart))
	}
	f := &Findings{Tables: []Table{table}, Charts: []Chart{{"figure", []Panel{loss, apart}}}}
	f.judge(&went, func() []Check { return went.checks() })
	return f, nil
}

// converged holds the mean number of steps at each level, to a tenth, and the losses.
type converged struct{ steps, losses []float64 }

// courses runs the courses in parallel.
func (d dropout) courses(ctx context.Context, away float64) ([]*course, error) {
	courses := make([]*course, d.runs)
	err := sim.Each(ctx, d.runs, workers(), func(ctx context.Context, i int) (err error) {
		courses[i], err = d.course(ctx, away, uint64(i+1))
		return err
	})
	return courses, err
}

// course averages noise of variance 1 until convergence.
func (d dropout) course(ctx context.Context, away float64, seed uint64) (*course, error) {
	drawn, err := gen.Redrawn(fmt.Sprintf("er:n=%d,p=%g", d.nodes, d.edge), "hamilton", 1, seed)
	if err != nil {
		return nil, err
	}
	if away > 0 {
		drawn = graph.Dropout(drawn, away, seed)
	}
	var stream step.Stream
	rng := stream.At(seed, 0, 0, 0, step.Noise)
	x, next := make([]float64, d.nodes), make([]float64, d.nodes)
	for v := range x {
		x[v] = step.Normal(rng)
	}
	c, start := &course{}, variance(x)
	for at := 1.0; at > 1/float64(d.nodes); c.apart = append(c.apart, at) {
		if err := ctx.Err(); err != nil || len(c.steps) == d.most {
			return nil, fmt.Errorf("no convergence in %d steps (%v)", len(c.steps), err)
		}
		w := copied(drawn.Matrix(step.Turn(len(c.steps))))
		w.MulBlock(next, x, 1)
		x, next, c.steps = next, x, append(c.steps, w)
		at = variance(x) / start
	}
	c.price(0)
	return c, nil
}

// price charges all messages from node u as 002 equation 6.3 does.
func (c *course) price(u int) {
	total := newMessages(c.steps[0].N)
	towards := make([]float64, c.steps[0].N)
	for _, w := range c.steps {
		total.charge(towards, w, u)
		total.advance(w)
		mean, deviance := moments(towards, u)
		c.losses = append(c.losses, mean)
		c.meanLoss, c.deviance = mean, deviance
	}
}

// gathered returns the mean number of steps, the mean loss, its standard deviation over
// runs, and that of a pair's loss within a run.
func gathered(courses []*course) (steps, loss, std, pairs float64) {
	runs := float64(len(courses))
	losses := make([]float64, 0, len(courses))
	for _, c := range courses {
		steps += float64(len(c.steps)) / runs
		losses = append(losses, c.meanLoss)
		pairs += c.deviance * c.deviance / runs
	}
	loss, std = moments(losses, -1)
	return steps, loss, std, math.Sqrt(pairs)
}

// exactly returns the exact leakage from all nodes towards the first few observers.
func (d dropout) exactly(c *course) (mean, most float64, err error) {
	accountant, err := gossipview.NewChanging(c.steps)
	if err != nil {
		return 0, 0, err
	}
	pairs := 0
	for v := range d.exact {
		view, err := accountant.View([]int{v})
		if err != nil {
			return 0, 0, err
		}
		for u := range d.nodes {
			if u != v {
				mean += view.Leakage(u)
				most = max(most, view.Leakage(u))
				pairs++
			}
		}
	}
	return mean / float64(pairs), most, nil
}

// checks tests that convergence slows and losses do not change.
func (c converged) checks() []Check {
	low, high := math.Inf(1), 0.0
	for _, m := range c.losses {
		low, high = min(low, m), max(high, m)
	}
	return []Check{
		{"convergence takes longer the more users are away", AsPublished, rising(c.steps), fmt.Sprintf("%v steps", c.steps)},
		{"the loss at convergence hardly depends on dropout", AsPublished, high < 2*low && high > 0,
			fmt.Sprintf("mean losses from %.4f to %.4f; the paper has 0.014 to 0.018", low, high)},
	}
}
