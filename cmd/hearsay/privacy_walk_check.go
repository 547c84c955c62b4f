package main

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// The largest runs that are priced from the command line: more would not end.
const (
	mostTurns = 1_000_000_000
	mostPaths = 100_000_000
)

// check refuses what makes no sense on a graph of n nodes.
func (f *walkFlags) check(n int) error {
	return cmp.Or(f.checkChoices(), f.checkPairOf(n), f.checkStart(n), f.checkNoise(), f.checkCounts(), f.checkSimulated())
}

func (f *walkFlags) checkChoices() error {
	return cmp.Or(
		form.OneOf("--sender", f.sender, "hidden", "known"),
		form.OneOf("--accountant", f.accountant, "published", "path", "all"),
		form.OneOf("--condition", f.condition, "weakest", "printed"),
	)
}

func (f *walkFlags) checkPairOf(n int) error {
	if n < 2 {
		return fault.New(fmt.Sprintf("a walk on %d node has no pair of nodes", n), "give a graph of at least 2 nodes")
	}
	none := f.u == -1 && f.v == -1
	below := f.leaks != "" && f.u < 0 || f.learns != "" && f.v < 0
	if below || !none && (max(f.u, f.v) >= n || f.u == f.v) {
		return fault.New(fmt.Sprintf("--u %d --v %d is not a pair of different nodes of %d", f.u, f.v, n),
			"give both, from 0 to n-1, one of them alone, or neither for all pairs")
	}
	if f.oneSide() {
		return f.checkSide()
	}
	return nil
}

func (f *walkFlags) checkStart(n int) error {
	if f.start == "uniform" {
		return nil
	}
	at, err := strconv.Atoi(f.start)
	if err != nil {
		return fault.New(fmt.Sprintf("--start: %q is not a node", f.start), "give a node number, or uniform")
	}
	if at < 0 || at >= n {
		return fault.New(fmt.Sprintf("--start %d is not a node of %d", at, n), fmt.Sprintf("give a node from 0 to %d, or uniform", n-1))
	}
	return nil
}

func (f *walkFlags) checkNoise() error {
	if err := checkOrder(f.alpha); err != nil {
		return err
	}
	return privacy.CheckSigma(f.sigma)
}

// mostOrder is beyond any order that is of use.
const mostOrder = 1e9

// checkOrder refuses what is no Renyi order.
func checkOrder(alpha float64) error {
	if alpha > 1 && alpha <= mostOrder {
		return nil
	}
	return fault.New(fmt.Sprintf("--alpha %g is not above 1 and up to %g", alpha, mostOrder), "give a Renyi order such as 2")
}

func (f *walkFlags) checkCounts() error {
	for _, count := range []struct {
		flag               string
		value, least, most int
	}{
		{"--steps", f.steps, 1, mostTurns}, {"--contributions", f.contributions, 0, math.MaxInt}, {"--burn-in", f.burnIn, 0, mostTurns},
		{"--paths", f.paths, 0, mostPaths}, {"--tokens", f.tokens, 1, 10_000}, {"--edge-cap", f.edgeCap, 0, math.MaxInt},
	} {
		if count.value < count.least || count.value > count.most {
			return fault.New(fmt.Sprintf("%s %d is out of range", count.flag, count.value), "give "+span(count.least, count.most))
		}
	}
	return nil
}

// span says which counts are taken.
func span(least, most int) string {
	if most == math.MaxInt {
		return fmt.Sprintf("%d or more", least)
	}
	return fmt.Sprintf("a number from %d to %d", least, most)
}

// simulatedOnly reports whether the walk is one that only simulated paths price.
func (f *walkFlags) simulatedOnly() bool { return f.edgeCap > 0 || f.power != 0 }

func (f *walkFlags) checkSimulated() error {
	switch {
	case !(f.skip >= 0 && f.skip < 1):
		return fault.New(fmt.Sprintf("--skip %g is no probability below 1", f.skip), "give one such as 0.1, or 0 if no holder skips a turn")
	case f.contributions > 0 && f.contributions < f.tokens:
		return fault.New(fmt.Sprintf("--contributions %d of a node, shared out between %d tokens, leave nothing for some", f.contributions, f.tokens),
			fmt.Sprintf("give %d or more, or fewer tokens", f.tokens))
	case !f.simulatedOnly():
		return nil
	case !(f.power >= 0 && f.power <= 2):
		return fault.New(fmt.Sprintf("--step-power %g is not between 0 and 2", f.power), "give a power such as 0.5, or 0 for constant steps")
	case f.accountant == "published":
		return fault.New("the published accountant prices constant steps and no cap per edge",
			"use --accountant path with --paths 10000")
	case f.paths == 0:
		return fault.New("a cap per edge and falling steps are priced by simulated paths only",
			"say how many, such as --paths 10000")
	}
	return nil
}
