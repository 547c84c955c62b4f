package experiment

import (
	"cmp"
	"context"
	"runtime"
	"sync"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy/audit"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// An Audit is what a node was seen to tell an observer, beside what the
// accountants allow.
type Audit struct {
	About        int           `json:"about"`    // whose data differ between the two worlds
	Observer     int           `json:"observer"` // whose view was scored
	AboutName    string        `json:"about_name"`
	ObserverName string        `json:"observer_name"`
	Runs         int           `json:"runs"` // in each world
	Confidence   float64       `json:"confidence"`
	Metric       string        `json:"metric"`
	Sigma        float64       `json:"sigma"`
	Refuted      bool          `json:"refuted"` // a sound bound is below what was found
	Audit        AuditFound    `json:"-"`
	Bounds       []PairLoss    `json:"-"` // sound ones first
	Least        report.Number `json:"-"` // the smallest sound bound
}

// AuditFound are the lower bounds that the runs prove.
type AuditFound struct {
	PairLoss
	Mu    float64 `json:"mu"`    // least shift over noise of a Gaussian that can be told apart as well
	Power float64 `json:"power"` // of the best test, at least
	Size  float64 `json:"size"`  // of the best test, at most
}

// Audit runs the walk many times in two worlds that differ in all of one
// node's data, as far apart as its rows can be, and bounds from below what the
// observer learnt: runs in each world, at a confidence such as 0.99. The
// observer scores what it receives and sends, knowing the path and everybody
// else's data. Runs have seeds of their own, and the result does not depend on
// the number of cores. progress, which may be nil, is told how many runs of
// how many are done.
func (s *Setup) Audit(ctx context.Context, about, observer, runs int, confidence float64, progress func(done, total int)) (*Audit, error) {
	if err := cmp.Or(s.checkWalk(), s.checkPair(about, observer)); err != nil {
		return nil, err
	}
	m, err := s.metric()
	if err != nil {
		return nil, err
	}
	if err := audit.Check(runs, m, 1-confidence); err != nil {
		return nil, err
	}
	scores, err := s.auditRuns(ctx, about, observer, runs, progress)
	if err != nil {
		return nil, err
	}
	found, err := audit.Scores(scores[0], scores[1], m, 1-confidence)
	if err != nil {
		return nil, err
	}
	bounds, err := s.pairLosses(about, observer)
	if err != nil {
		return nil, err
	}
	a := &Audit{
		About: about, Observer: observer, AboutName: s.name(about), ObserverName: s.name(observer), Runs: runs, Confidence: confidence, Metric: m.String(), Sigma: s.Accounting.Sigma,
		Audit:  AuditFound{pairLoss("black box", found.Loss, found.Claim), found.Mu, found.Test.Power, found.Test.Size},
		Bounds: bounds, Least: min(bounds[0].Loss, bounds[1].Loss),
	}
	a.Refuted = a.Audit.Loss > a.Least
	return a, nil
}

// auditRuns scores the runs of both worlds.
func (s *Setup) auditRuns(ctx context.Context, about, observer, runs int, progress func(done, total int)) (scores [2][]float64, err error) {
	worlds, err := s.worlds(step.NodeID(about))
	if err != nil {
		return scores, err
	}
	scores[0], scores[1] = make([]float64, runs), make([]float64, runs)
	count := counter{total: 2 * runs, report: progress}
	err = sim.Each(ctx, 2*runs, runtime.GOMAXPROCS(0), func(ctx context.Context, i int) (err error) {
		scores[i%2][i/2], err = s.auditRun(ctx, worlds[i%2], observer, i)
		count.add()
		return err
	})
	return scores, err
}

// auditRun is one run in a world and its score.
func (s *Setup) auditRun(ctx context.Context, w *world, observer, number int) (float64, error) {
	var stream step.Stream
	seed := stream.At(s.Spec.Seed, 0, step.Turn(number)+1, 0, step.Audit).Uint64()
	protocol := *s.Protocol
	protocol.Start = s.start(seed)
	run := &sim.Walk{Protocol: &protocol, Holdings: w, Choose: s.Choose, Seed: seed, Scales: w.scales}
	a := newAttacker(&protocol, w, step.NodeID(observer), s.Spec.Privacy.Release == "final")
	_, err := run.Bulk(ctx, a.see)
	return a.score, err
}

// A world is the spec's data with those of one node replaced.
type world struct {
	sim.Holdings
	about     step.NodeID
	own       model.Examples
	scales    []float64
	direction []float64 // unit vector along which a contribution moves the token apart, the same in both worlds
}

// Examples implements sim.Holdings.
func (w *world) Examples(v step.NodeID) model.Examples {
	if v == w.about {
		return w.own
	}
	return w.Holdings.Examples(v)
}

// counter counts what is done by many, and reports one at a time.
type counter struct {
	sync.Mutex
	done, total int
	report      func(done, total int)
}

func (c *counter) add() {
	if c.report == nil {
		return
	}
	c.Lock()
	defer c.Unlock()
	c.done++
	c.report(c.done, c.total)
}
