package experiment

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/audit"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
)

// An Audit holds the lower bounds that runs prove on the loss of one node towards an observer, beside the
// accountants' bounds.
type Audit struct {
	About        int               `json:"about"`    // whose data differ between the two worlds
	Observer     int               `json:"observer"` // whose view was scored
	AboutName    string            `json:"about_name"`
	ObserverName string            `json:"observer_name"`
	Runs         int               `json:"runs"` // in each world
	Confidence   float64           `json:"confidence"`
	Metric       string            `json:"metric"`
	Sigma        float64           `json:"sigma"`
	Refuted      bool              `json:"refuted"` // a sound bound is below the loss found
	Audit        AuditFound        `json:"-"`
	Bounds       []family.PairLoss `json:"-"` // sound ones first
	Least        report.Number     `json:"-"` // the smallest sound bound
}

// AuditFound holds the lower bounds that the runs prove.
type AuditFound struct {
	family.PairLoss
	Mu    float64 `json:"mu"`    // least shift over noise of a Gaussian that can be told apart as well
	Power float64 `json:"power"` // of the best test, at least
	Size  float64 `json:"size"`  // of the best test, at most
}

// Audit runs the algorithm runs times in each of two worlds that differ in all of one
// node's data, as far apart as its rows can be. It returns a lower bound on the loss towards the
// observer at a confidence such as 0.99. The
// observer scores the messages that it receives and sends, and knows the path and everybody
// else's data. Runs have seeds of their own, and the result does not depend on
// the number of cores. progress, which may be nil, is told how many runs of
// how many are done.
func (s *Priced) Audit(ctx context.Context, about, observer, runs int, confidence float64, progress func(done, total int)) (*Audit, error) {
	attacked, err := s.Algorithm.Audit()
	if err := cmp.Or(err, s.checkPair(about, observer)); err != nil {
		return nil, err
	}
	m, err := family.Metric(&s.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	if err := audit.Check(runs, m, 1-confidence); err != nil {
		return nil, err
	}
	scores, err := auditRuns(ctx, attacked, about, observer, runs, progress)
	if err != nil {
		return nil, err
	}
	found, err := audit.Scores(scores[0], scores[1], m, 1-confidence)
	if err != nil {
		return nil, err
	}
	bounds, err := attacked.PairLosses(about, observer, s.Accounting)
	if err != nil {
		return nil, err
	}
	for i := range bounds {
		b := &bounds[i]
		if account := s.shown(b.Accountant); account != nil && !math.IsNaN(account.At(about, observer)) {
			b.Loss = report.Number(account.At(about, observer))
		}
		for _, ground := range family.TakenAsPublic(s.Algorithm, s.charged(b.Accountant)) {
			if !slices.Contains(b.Assumptions, ground) {
				b.Assumptions = append(b.Assumptions[:len(b.Assumptions):len(b.Assumptions)], ground)
			}
		}
	}
	a := &Audit{
		About: about, Observer: observer, AboutName: s.Name(about), ObserverName: s.Name(observer),
		Runs: runs, Confidence: confidence, Metric: m.String(), Sigma: s.Accounting.Sigma,
		Audit:  AuditFound{family.NewPairLoss("black box", found.Loss, found.Claim), found.Mu, found.Test.Power, found.Test.Size},
		Bounds: bounds, Least: min(bounds[0].Loss, bounds[1].Loss),
	}
	a.Refuted = a.Audit.Loss > a.Least
	return a, nil
}

// auditRuns scores the runs of both worlds.
func auditRuns(ctx context.Context, a family.Audit, about, observer, runs int, progress func(done, total int)) (scores [2][]float64,
	err error) {
	game, err := a.Game(about, observer)
	if err != nil {
		return scores, err
	}
	scores[0], scores[1] = make([]float64, runs), make([]float64, runs)
	count := counter{total: 2 * runs, report: progress}
	err = sim.Each(ctx, 2*runs, runtime.GOMAXPROCS(0), func(ctx context.Context, i int) (err error) {
		scores[i%2][i/2], err = game(ctx, i)
		count.add()
		return err
	})
	return scores, err
}

// counter counts finished runs of many goroutines, and reports one at a time.
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
