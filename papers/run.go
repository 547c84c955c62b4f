package papers

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Run runs every variant in order and calls done with each outcome.
func (s Study) Run(ctx context.Context, dataDir string, done func(Outcome)) ([]Outcome, error) {
	var outcomes []Outcome
	for _, v := range s.Variants {
		made, err := s.Spec(v, dataDir)
		if err != nil {
			return nil, err
		}
		setup, err := prepared(ctx, made)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		bundle, err := setup.Run(ctx, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		outcomes = append(outcomes, Outcome{Variant: v, Result: bundle.Result})
		done(outcomes[len(outcomes)-1])
	}
	return outcomes, nil
}

// prepared returns a run with its price. Only one study at a time prices runs of one algorithm on one graph, so that
// the next study finds the kept results.
func prepared(ctx context.Context, made *spec.Spec) (*experiment.Priced, error) {
	watch := family.WatchOf(ctx)
	if watch == nil || watch.Keeper == nil {
		return experiment.Prepare(ctx, made, nil)
	}
	leave, err := alone(ctx, sha256.Sum256(fmt.Appendf(nil, "priced\n%q\n%q\n", made.Algorithm.Kind, made.Graph)))
	if err != nil {
		return nil, err
	}
	defer leave()
	return experiment.Prepare(ctx, made, nil)
}

// Findings runs the variants of a study, computes the rest, and compares the results with the paper. It reports
// progress to say. When ctx ends it returns soon, even in the middle of a computation.
func (s Study) Findings(ctx context.Context, dataDir string, say func(string)) (*Findings, error) {
	if s.compute == nil && len(s.Variants) == 0 {
		return nil, fault.New(s.ID+" has no quick version", "leave out --quick")
	}
	var found *Findings // not read if it is left computing
	err := soon(ctx, func() (err error) {
		found, err = s.findings(ctx, dataDir, say)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// patience is the time for an interrupted study to keep its priced results.
const patience = 2 * time.Second

// soon calls do and returns its error. If ctx ends it returns the error of ctx a little later, because linear algebra
// does not check the context.
func soon(ctx context.Context, do func() error) error {
	waiting, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, leave) })()
	if err := experiment.Within(waiting, do); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	return nil
}

func (s Study) findings(ctx context.Context, dataDir string, say func(string)) (*Findings, error) {
	f := &Findings{}
	if s.compute != nil {
		computed, err := s.compute(ctx, dataDir, say)
		if err != nil {
			return nil, err
		}
		f = computed
	}
	if len(s.Variants) == 0 {
		return f, nil
	}
	outcomes, err := s.Run(ctx, dataDir, func(o Outcome) {
		mean, std := o.Accuracy()
		say(fmt.Sprintf("%s: accuracy %.3f +- %.3f at sigma %.4g", o.Variant.Name, mean, std, o.Result.Privacy.Sigma))
	})
	if err != nil {
		return nil, err
	}
	f.Outcomes = outcomes
	f.Tables = append([]Table{outcomeTable(outcomes)}, f.Tables...)
	if s.judge != nil {
		f.judge(&outcomes, func() []Check { return s.judge(outcomes) })
	}
	return f, nil
}

// Accuracy returns the mean over trials and the standard deviation between them.
func (o Outcome) Accuracy() (mean, std float64) {
	var square float64
	for i, t := range o.Result.Trials {
		delta := *t.Final.TestAccuracy - mean
		mean += delta / float64(i+1)
		square += float64(delta * (*t.Final.TestAccuracy - mean))
	}
	return mean, math.Sqrt(square / max(1, float64(len(o.Result.Trials)-1)))
}

// outcomeTable returns the outcomes, with the paper's numbers beside ours.
func outcomeTable(outcomes []Outcome) Table {
	t := Table{Name: "table", Header: []string{"variant", "accuracy", "std", "paper_accuracy", "paper_std", "sigma", "accountant", "status",
		"mean_loss", "sound_accountant", "sound_mean_loss"}}
	for _, o := range outcomes {
		t.Rows = append(t.Rows, o.row())
	}
	return t
}

func (o Outcome) row() []string {
	mean, std := o.Accuracy()
	p := o.Result.Privacy
	sound := bestSound(p)
	return []string{
		o.Variant.Name, decimal(mean), decimal(std), decimal(o.Variant.Paper), decimal(o.Variant.Spread),
		decimal(p.Sigma), p.Accountant, string(p.Status), decimal(float64(p.Mean)), sound.Accountant, decimal(float64(sound.Mean)),
	}
}

// bestSound returns the sound account with the smallest mean.
func bestSound(p report.Privacy) report.Accounted {
	best := report.Accounted{Mean: report.Number(math.Inf(1))}
	for _, a := range p.All() {
		if a.Status == report.Sound && (best.Accountant == "" || a.Mean < best.Mean) {
			best = a
		}
	}
	return best
}

// decimal formats a number with four digits. It returns "" for 0, which means unknown.
func decimal(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g", x)
}

// workers returns the number of cores.
func workers() int { return runtime.GOMAXPROCS(0) }
