package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// tokensSpec is a small walk of three tokens; the rest of algorithm and privacy is to be
// filled in.
const tokensSpec = `
name: tokens
trials: 2
data: {source: two-gaussians, features: 3, rows: 3, normalise: unit}
graph: ring:6
algorithm: {steps: 40, step_size: 0.1, clip: 0.3, contributions: 10, tokens: 3, %s}
privacy: {%s}
`

func openTokens[T any](t *testing.T, algorithm, privacy string, open func(context.Context, *spec.Spec, func(string)) (T, error)) T {
	t.Helper()
	s, err := Parse([]byte(fmt.Sprintf(tokensSpec, algorithm, privacy)), "tokens")
	if err != nil {
		t.Fatal(err)
	}
	p, err := open(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Several tokens run, are averaged or kept apart, and meet the noise that was asked for;
// the mean that is scored is that of the tokens.
func TestSeveralTokensRun(t *testing.T) {
	testdata.Sequential(t)
	averaged := openTokens(t, "skip: 0.2", "calibrate: {mean: 4}", Prepare)
	if mean := float64(averaged.Accounting.Accounts[0].Mean); mean > 4 || mean < 3.9 {
		t.Errorf("mean loss %g, asked for 4", mean)
	}
	w := averaged.Algorithm.Schedule().(schedule.Walk)
	if w.Tokens != 3 || w.Skip != 0.2 || w.Most() != 10 || w.Token(0).Cap != 4 || w.Token(2).Cap != 3 {
		t.Errorf("the schedule is of %d tokens, skip %g, %d contributions", w.Tokens, w.Skip, w.Most())
	}
	bundle, err := averaged.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	apart := openTokens(t, "skip: 0.2, combine: apart", fmt.Sprintf("sigma: %v", averaged.Accounting.Sigma), Prepare)
	others, err := apart.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	one, other := bundle.Result, others.Result
	if one.Final.Scored != "" || other.Final.Scored != report.ScoredTokens || other.Final.Consensus == nil || !(*other.Final.Consensus > 0) {
		t.Errorf("scored %q and %q, %v apart", one.Final.Scored, other.Final.Scored, other.Final.Consensus)
	}
	if mean := other.Final.MeanModel; mean == nil || math.Abs(float64(mean.TrainLoss-one.Final.TrainLoss)) > 1e-12 {
		t.Errorf("the mean of tokens that are kept apart has %+v, averaged ones %v", mean, one.Final.TrainLoss)
	}
	if !(other.Final.TrainLoss > one.Final.TrainLoss) {
		t.Errorf("tokens have on average loss %v, their mean %v: the loss is convex", other.Final.TrainLoss, one.Final.TrainLoss)
	}
	if !strings.HasPrefix(one.Story, "3 copies of the model walk ") {
		t.Errorf("the story is %q", one.Story)
	}
}

// The example of several tokens is one.
func TestExampleOfTokens(t *testing.T) {
	s, err := Load("../examples/tokens.yaml")
	if err != nil || s.Algorithm.Tokens != 4 {
		t.Fatal(s, err)
	}
}

// Every token starts where the spec says: all at one node, each at its own, or each where
// it is drawn.
func TestTokensStartWhereTheSpecSays(t *testing.T) {
	for text, want := range map[string][]int{"start: 4": {4, 4, 4}, "start: [1, 5, 0]": {1, 5, 0}} {
		p := openTokens(t, text, "sigma: 4", Open)
		w := p.Algorithm.Schedule().(schedule.Walk)
		for lane, at := range want {
			if got := w.Token(step.Lane(lane)).Start; got != at {
				t.Errorf("%s: token %d starts at %d in the schedule, want %d", text, lane, got, at)
			}
		}
	}
	p := openTokens(t, "start: [uniform, 5, 0]", "sigma: 4", Open)
	w := p.Algorithm.Schedule().(schedule.Walk)
	if w.Token(0).Start != schedule.AnyStart || w.Token(1).Start != 5 {
		t.Errorf("starts %v", w.Starts)
	}
	if a, b := walk.StartAt(6, 1, 0), walk.StartAt(6, 1, 1); a == b && walk.StartAt(6, 2, 0) == walk.StartAt(6, 2, 1) {
		t.Error("tokens are drawn the same start")
	}
}

// An attacker who sees all tokens finds no more than the sound number, and more than one
// who sees a token alone. The audit's bound is false with probability 1e-2 by its own
// account; seeds are fixed.
func TestAuditOfSeveralTokensIsBelowTheSoundNumber(t *testing.T) {
	testdata.Sequential(t)
	p := openTokens(t, "start: 0", "sigma: 1, metric: {epsilon_at_delta: 0.001}", Prepare)
	found, err := p.Audit(context.Background(), 0, 1, 400, 0.99, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Refuted || !(found.Audit.Loss > 0) || found.Audit.Loss > found.Least {
		t.Errorf("an attack finds %g, the least sound bound is %g", found.Audit.Loss, found.Least)
	}
}
