package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/spec"
)

// walkOrGossip repeats the comparison of 000 Table 1 at equal sound claims. The walk is
// charged by the path accountant, gossip with noise on every message by the flow
// accountant.
func walkOrGossip() Study {
	return Study{
		ID: "houses-claims", Title: "Walk and gossip on Houses at the same sound claims",
		Source: "ours; 000 Table 1 compares them as published", Data: "houses/houses.csv",
		compute: contest{
			contenders: []contender{
				walkOn(walkComplete, completeGraph, 2048, 20000),
				walkOn(walkExponential, hypercubeGraph, 2048, 20000),
				gossipOn(exponential, hypercubeGraph, 2048, 11, 200),
				gossipOn(matchings, completeGraph, 2048, 1, 200).matched(fullLottery),
			},
			tuning: 4, trials: 8, models: 128,
		}.run,
		quick: contest{
			contenders: []contender{
				walkOn(walkComplete, "complete:256", 256, 1250).tried(0.005, 0.02),
				gossipOn(matchings, "complete:256", 256, 1, 30).matched(lottery{2, 2, 4}).tried(0.3, 1),
				walkOn(walkExponential, "hypercube:8", 256, 1250).tried(0.005, 0.02),
				gossipOn(exponential, "hypercube:8", 256, 8, 30).tried(0.3, 1),
			},
			tuning: 1, trials: 2, models: 16,
		}.run,
	}
}

// A contest compares contenders at the same claims.
type contest struct {
	contenders []contender
	tuning     int // trials by which each setting is judged
	trials     int // further trials, which report the best setting
	models     int // number of nodes whose own models are scored, evenly spaced
}

// A contender is an algorithm on a graph, with the settings to try.
type contender struct {
	name   string
	base   func(*spec.Spec) // without the setting and the noise
	graph  string
	gossip bool
	nodes  int
	degree int // nodes that each node sends to in a turn; gossip only
	steps  []int
	lots   lottery // for partners not yet drawn; without draws there is no such claim
	sizes  []float64
}

// walkOn returns a walk with as many settings as gossip has. The walk's iterates are
// not averaged, because the last holder has the last token only.
func walkOn(name, expression string, nodes int, steps ...int) contender {
	return contender{name: name, graph: expression, nodes: nodes, steps: steps, sizes: []float64{0.001, 0.002, 0.004, 0.008}, base: func(s *spec.Spec) {
		s.Graph, s.Algorithm.Average = expression, "none"
		s.Privacy.Accountant, s.Privacy.Sender = "path", "known"
	}}
}

// gossipOn returns gossip whose nodes average their own models over the second half of
// the rounds.
func gossipOn(name, expression string, nodes, degree int, rounds ...int) contender {
	return contender{name: name, graph: expression, nodes: nodes, gossip: true, degree: degree, steps: rounds, sizes: []float64{0.25, 0.5, 1, 2},
		base: func(s *spec.Spec) {
			s.Graph, s.Algorithm.Kind = expression, "gossip-gd"
			s.Algorithm.Own = &gossipfamily.Keys{TurnsPerRound: 1, Wake: "all", Acceleration: "none"}
			s.Algorithm.Average, s.Algorithm.Contributions = "half", 0
			s.Privacy.Accountant = "flow"
		}}
}

// matched returns the contender with random matchings, which are drawn in every turn.
func (c contender) matched(lots lottery) contender {
	base := c.base
	c.lots = lots
	c.base = func(s *spec.Spec) {
		base(s)
		gossipfamily.KeysOf(s).Wake = "matchings"
	}
	return c
}

func (c contender) tried(sizes ...float64) contender { c.sizes = sizes; return c }

// open prepares everything but the setting.
func (c contender) open(ctx context.Context, data string) (*experiment.Prepared, error) {
	s, err := Study{ID: "houses-claims", Data: "houses/houses.csv"}.Spec(Variant{Name: c.name, change: func(s *spec.Spec) {
		c.base(s)
		s.Privacy.Calibrate, s.Data.Rows, s.Trials = nil, rowsInAll/c.nodes, 1
	}}, data)
	if err != nil {
		return nil, err
	}
	return experiment.Open(ctx, s, nil)
}

// set returns the algorithm of a setting, without noise.
func (c contender) set(ctx context.Context, on *experiment.Prepared, steps int, size float64) (family.Algorithm, error) {
	h := on.WithSpec(func(s *spec.Spec) {
		s.Algorithm.Steps, s.Algorithm.StepSize = steps, spec.StepSize{Base: size}
		if !c.gossip {
			s.Algorithm.Contributions = c.contributions(steps)
		}
	})
	if c.gossip {
		return gossipfamily.Family{}.Prepare(ctx, h)
	}
	return walkfamily.Family{}.Prepare(ctx, h)
}

// contributions returns the largest number of contributions of a node. In a walk it is
// a fifth above the mean, as in 000 Table 1.
func (c contender) contributions(steps int) int {
	if c.gossip {
		return steps
	}
	return (6*steps + 5*c.nodes - 1) / (5 * c.nodes)
}

// rowsInAll is the number of rows of all participants, 2048 times 8.
const rowsInAll = 16384

// Claims, as epsilon at delta 1e-6.
const (
	onAverage = "mean of all pairs"
	onOthers  = "every pair but neighbours"
	onAll     = "every pair"
	unmet     = "every pair, partners not yet drawn"
)

var claims = []string{onAverage, onOthers, onAll, unmet}

// An entry is the result of one contender at one claim.
type entry struct {
	contender contender
	claim     string
	sigma     float64 // 0: the claim applies to no pair
	steps     int
	size      float64
	trained   float64 // accuracy on the participants' rows, which selected the setting
	accuracy  spread  // on the test rows
}

// milliseconds returns the simulated time of a run at one millisecond a message. Hops
// are sequential, and messages of a round are parallel.
func (e entry) milliseconds() int { return e.steps }

// A priced holds the least noise of a contender for every claim. It is 0 if the claim
// applies to no pair.
type priced struct {
	contender contender
	steps     int
	sigmas    map[string]float64
}

// run prices, tunes and scores every contender.
func (c contest) run(ctx context.Context, data string, say func(string)) (*Findings, error) {
	var all []entry
	var prices []priced
	for _, one := range c.contenders {
		priced, entries, err := c.enter(ctx, one, data, say)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
		all, prices = append(all, entries...), append(prices, priced...)
	}
	f := &Findings{Tables: []Table{claimsTable(all), sigmasTable(prices)}}
	attained := struct {
		prices []priced
		all    []entry
	}{prices, all}
	f.judge(&attained, func() []Check { return judge(attained.prices, attained.all) })
	return f, nil
}
