package price

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Limits of runs that are priced from the command line. Larger ones would not
// end in useful time.
const (
	mostTurns = 1_000_000_000
	mostPaths = 100_000_000
)

// check refuses invalid settings on a graph of n nodes.
func (f *WalkQuestion) check(n int) error {
	return cmp.Or(f.checkChoices(), f.checkPairOf(n), f.checkStart(n), f.checkNoise(), f.checkCounts(), f.checkSimulated())
}

func (f *WalkQuestion) checkChoices() error {
	return cmp.Or(
		form.OneOf("--sender", f.Sender, "hidden", "known"),
		form.OneOf("--accountant", f.Accountant, "published", "path", "all"),
		form.OneOf("--condition", f.Condition, "weakest", "printed"),
	)
}

func (f *WalkQuestion) checkPairOf(n int) error {
	if n < 2 {
		return fault.New(fmt.Sprintf("a walk on %d node has no pair of nodes", n), "give a graph of at least 2 nodes")
	}
	if f.oneSide() {
		return f.checkSide()
	}
	return nil
}

func (f *WalkQuestion) checkStart(n int) error {
	if f.Start == "uniform" {
		return nil
	}
	at, err := strconv.Atoi(f.Start)
	if err != nil {
		return fault.New(fmt.Sprintf("--start: %q is not a node", f.Start), "give a node number, or uniform")
	}
	if at < 0 || at >= n {
		return fault.New(fmt.Sprintf("--start %d is not a node of %d", at, n), fmt.Sprintf("give a node from 0 to %d, or uniform", n-1))
	}
	return nil
}

func (f *WalkQuestion) checkNoise() error {
	if f.Delta != 0 && (f.Paths > 0 || f.simulatedOnly()) {
		return fault.New("--delta: simulated paths give Renyi's divergence, and delta at some epsilons", "leave --delta out, or --paths, --edge-cap and --step-power")
	}
	if f.Delta != 0 {
		return cmp.Or(oneMetric(f.Asker), form.CheckDelta(f.Delta), privacy.CheckSigma(f.Sigma))
	}
	if err := checkOrder(f.Alpha); err != nil {
		return err
	}
	return privacy.CheckSigma(f.Sigma)
}

// oneMetric refuses two metrics at once.
func oneMetric(ask form.Asker) error {
	if ask.Given != nil && ask.Given("alpha") {
		return fault.New("--alpha and --delta are two metrics", "leave one of them out")
	}
	return nil
}

// mostOrder is the largest Renyi order that is accepted. It is above any useful order.
const mostOrder = 1e9

// checkOrder refuses an invalid Renyi order.
func checkOrder(alpha float64) error {
	if alpha > 1 && alpha <= mostOrder {
		return nil
	}
	return fault.New(fmt.Sprintf("--alpha %g is not above 1 and up to %g", alpha, mostOrder), "give a Renyi order such as 2")
}

func (f *WalkQuestion) checkCounts() error {
	for _, count := range []struct {
		flag               string
		value, least, most int
	}{
		{"--steps", f.Steps, 1, mostTurns}, {"--contributions", f.Contributions, 0, math.MaxInt}, {"--burn-in", f.BurnIn, 0, mostTurns},
		{"--paths", f.Paths, 0, mostPaths}, {"--tokens", f.Tokens, 1, 10_000}, {"--edge-cap", f.EdgeCap, 0, math.MaxInt},
	} {
		if count.value < count.least || count.value > count.most {
			return fault.New(fmt.Sprintf("%s %d is out of range", count.flag, count.value), "give "+span(count.least, count.most))
		}
	}
	return nil
}

// span describes the allowed counts.
func span(least, most int) string {
	if most == math.MaxInt {
		return fmt.Sprintf("%d or more", least)
	}
	return fmt.Sprintf("a number from %d to %d", least, most)
}

// simulatedOnly reports whether only simulated paths can price the walk.
func (f *WalkQuestion) simulatedOnly() bool { return f.EdgeCap > 0 || f.Power != 0 }

func (f *WalkQuestion) checkSimulated() error {
	switch {
	case !(f.Skip >= 0 && f.Skip < 1):
		return fault.New(fmt.Sprintf("--skip %g is no probability below 1", f.Skip), "give one such as 0.1, or 0 if no holder skips a turn")
	case f.Contributions > 0 && f.Contributions < f.Tokens:
		return fault.New(fmt.Sprintf("--contributions %d of a node, shared out between %d tokens, leave nothing for some", f.Contributions, f.Tokens),
			fmt.Sprintf("give %d or more, or fewer tokens", f.Tokens))
	case !f.simulatedOnly():
		return nil
	case !(f.Power >= 0 && f.Power <= 2):
		return fault.New(fmt.Sprintf("--step-power %g is not between 0 and 2", f.Power), "give a power such as 0.5, or 0 for constant steps")
	case f.Accountant == "published":
		return fault.New("the published accountant prices constant steps and no cap per edge",
			"use --accountant path with --paths 10000")
	case f.Paths == 0:
		return fault.New("a cap per edge and falling steps are priced by simulated paths only",
			"say how many, such as --paths 10000")
	}
	return nil
}
