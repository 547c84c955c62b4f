package experiment

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Progress is called with the progress of a run. Calls come one at a time.
type Progress func(Tick)

// Tick is one report of progress.
type Tick struct {
	Trial, Trials int
	Step, Steps   int     // of this trial
	Done, Total   int     // steps over all trials
	TrainLoss     float64 // of this trial, at this step, and the others: points of its curve, the last one its result
	TestLoss      float64 // NaN: there are no test rows
	TestAccuracy  float64 // NaN: nothing is classified
	Unit          string  // the unit of Done and Total; "": steps
}

// outcome holds the results of one trial.
type outcome struct {
	seed   uint64
	model  []float64
	scores []score
	own    []score // of the models that nodes keep, at the end; nil where none does
	mean   []score // of the mean of these, one

	took, scoring time.Duration // all of it, and the part that is no step
}

// finals returns the scores whose mean is the result.
func (o *outcome) finals() []score {
	if o.own != nil {
		return o.own
	}
	return o.scores[len(o.scores)-1:]
}

// taken holds the seconds that all trials took together, and those of them that they spent
// splitting data and scoring models.
type taken struct{ all, scoring float64 }

// trials runs every trial, as many at a time as there are cores, and returns
// them in order.
func (s *Priced) trials(ctx context.Context, progress Progress) ([]outcome, taken, error) {
	began := time.Now()
	outcomes := make([]outcome, s.Spec.Trials)
	meter := newMeter(progress, s.Spec.Trials, s.Spec.Algorithm.Steps)
	scorer := newScorer(s.Algorithm)
	err := sim.Each(ctx, s.Spec.Trials, runtime.GOMAXPROCS(0), func(ctx context.Context, i int) (err error) {
		a, of, began := s.Algorithm, scorer, time.Now()
		if s.splits(i) {
			if a, err = s.resplit(ctx, TrialSeed(s.Spec.Seed, i)); err != nil {
				return err
			}
			of = newScorer(a)
		}
		split := time.Since(began)
		outcomes[i], err = trial(ctx, a, of, i, coresEach(s.Spec.Trials), func(sc score) { meter.see(i, sc) })
		outcomes[i].took, outcomes[i].scoring = time.Since(began), outcomes[i].scoring+split
		return err
	})
	all, took, scoring := time.Since(began).Seconds(), time.Duration(0), time.Duration(0)
	for _, o := range outcomes {
		took, scoring = took+o.took, scoring+o.scoring
	}
	if took == 0 {
		return outcomes, taken{all: all}, err
	}
	return outcomes, taken{all: all, scoring: all * float64(scoring) / float64(took)}, err
}

// coresEach returns the number of cores of each trial, at least 1.
func coresEach(trials int) int { return max(1, runtime.GOMAXPROCS(0)/trials) }

// splits reports whether trial i keeps other rows for testing than the first.
func (s *Priced) splits(i int) bool { return i > 0 && s.Resplit != nil }

// resplit returns the algorithm with other rows kept for testing. The number of rows that each node learns
// from is as before, and so are noise and losses.
func (s *Priced) resplit(ctx context.Context, seed uint64) (family.Algorithm, error) {
	h, err := s.Resplit(seed)
	if err != nil {
		return nil, err
	}
	h.Spec = s.Spec
	p, err := makeAlgorithm(ctx, h)
	if err != nil {
		return nil, err
	}
	noise := s.Algorithm.Local().Noise
	again, err := p.Algorithm.WithNoise(noise.Multiplier)
	if err == nil && !slices.Equal(again.Local().Noise.Sensitivities(), noise.Sensitivities()) {
		panic("experiment: another split has other sensitivities")
	}
	return again, err
}

// trial runs one trial on that many cores. Its seed depends on its number alone.
func trial(ctx context.Context, a family.Algorithm, s *scorer, i, cores int, progress func(score)) (outcome, error) {
	if err := trouble(s.Holdings); err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := outcome{seed: TrialSeed(s.Spec.Seed, i)}
	r := newRecorder(s, cores, progress, cancel)
	last, err := r.run(ctx, a, out.seed)
	r.end()
	if err := trouble(s.Holdings); err != nil {
		return out, err
	}
	if r.failure != nil {
		return out, r.failure
	}
	if err != nil {
		return out, err
	}
	out.model, out.scores, out.own, out.mean, out.scoring = r.model(last), r.scores, r.own, r.mean, r.scoring
	return out, nil
}

// TrialSeed returns the seed of trial i of a spec's seed.
func TrialSeed(seed uint64, i int) uint64 {
	var s step.Stream
	return s.At(seed, step.NodeID(i), 0, 0, step.Placement).Uint64()
}

// meter adds up the progress of concurrent trials.
type meter struct {
	sync.Mutex
	report Progress
	tick   Tick
	at     []int // steps done by each trial
}

// newMeter returns a meter that counts the steps of all trials.
func newMeter(report Progress, trials, steps int) *meter {
	return &meter{report: report, tick: Tick{Trials: trials, Steps: steps, Total: trials * steps}, at: make([]int, trials)}
}

func (m *meter) see(trial int, s score) {
	if m.report == nil {
		return
	}
	m.Lock()
	defer m.Unlock()
	m.tick.Done += s.step - m.at[trial]
	m.at[trial] = s.step
	m.tick.Trial, m.tick.Step, m.tick.TrainLoss, m.tick.TestLoss, m.tick.TestAccuracy = trial, s.step, s.trainLoss, s.testLoss, s.accuracy
	m.report(m.tick)
}
