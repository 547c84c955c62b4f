package federation

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

const byToken = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: logistic, l2: 0.1}
algorithm: {kind: admm-walk, steps: 100, gamma: 1, clip: 0.5, contributions: 24}
privacy: {calibrate: {max: 4}}
`

// What participants of ADMM by a token are told is what was calibrated, the grid's price in
// it: of each alone, of any so many together, and below that of all contributions.
func TestPlanOfADMMByAToken(t *testing.T) {
	worst := 0.0
	for _, name := range five {
		p := plan(t, open(t, ring(t, five, byToken), name))
		if p.Accountant != "path" || p.Contributions != 24 || len(p.Towards) != 4 {
			t.Fatalf("%+v", p)
		}
		alone := 0.0
		for _, to := range p.Towards {
			if alone = max(alone, to.Epsilon); to.Epsilon > 4 || to.Deviating != p.Local || p.Local < to.Epsilon {
				t.Errorf("%s towards %+v, local %g", name, to, p.Local)
			}
		}
		for _, c := range p.Coalitions {
			if c.Epsilon < alone || c.Epsilon > p.Local {
				t.Errorf("%s: coalition %+v after %g alone, local %g", name, c, alone, p.Local)
			}
		}
		worst = max(worst, alone)
	}
	if math.Abs(worst-4) > 0.01 {
		t.Errorf("the worst loss is %g, calibrated to 4", worst)
	}
}

// A token that could be replaced, or go anywhere, is refused with the reason.
func TestADMMByATokenRefuses(t *testing.T) {
	for change, want := range map[string]string{
		"federation: {unreachable: around}\nalgorithm: {": "older copy", "federation: {lease: 20s}\nalgorithm: {": "older copy",
		"algorithm: {lambda: 0.7, ": "algorithm.lambda",
	} {
		_, err := parseText(ringText(t, five, strings.Replace(byToken, "algorithm: {", change, 1)))
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v (%s)", change, err, fault.Hint(err))
		}
	}
	s := ring(t, five, strings.Replace(byToken, "gamma: 1,", "gamma: 30,", 1))
	if _, err := Open(context.Background(), s, "lyon"); err == nil || !strings.Contains(err.Error(), "algorithm.gamma") || fault.Hint(err) == "" {
		t.Errorf("gamma x l2 of 3: %v", err)
	}
}
