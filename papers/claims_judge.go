package papers

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/privacy"
)

// claimsTable returns a table with a row for each contender and claim.
func claimsTable(all []entry) Table {
	t := Table{Name: "claims", Header: []string{
		"contender", "claim", "sigma", "steps", "step_size", "training_accuracy", "accuracy", "std", "milliseconds", "messages",
	}}
	for _, e := range all {
		t.Rows = append(t.Rows, []string{
			e.contender.name, e.claim, decimal(e.sigma), fmt.Sprint(e.steps), decimal(e.size), decimal(e.trained),
			decimal(e.accuracy.mean), decimal(e.accuracy.std), fmt.Sprint(e.milliseconds()), fmt.Sprint(e.messages()),
		})
	}
	return t
}

// String returns a progress line.
func (e entry) String() string {
	return fmt.Sprintf("%s, %s: accuracy %.4f +- %.4f at sigma %.4g, %d steps of %g", e.contender.name, e.claim, e.accuracy.mean, e.accuracy.std,
		e.sigma, e.steps, e.size)
}

// messages returns the total number of messages: one a hop, or one from every node
// in every round to each node that it averages with.
func (e entry) messages() int {
	if !e.contender.gossip {
		return e.steps
	}
	return e.steps * e.contender.nodes * e.contender.degree
}

// sigmasTable returns the least noise for every claim.
func sigmasTable(all []priced) Table {
	t := Table{Name: "sigmas", Header: append([]string{"contender", "steps"}, claims...)}
	for _, p := range all {
		row := []string{p.contender.name, fmt.Sprint(p.steps)}
		for _, claim := range claims {
			row = append(row, decimal(p.sigmas[claim]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// String returns a progress line.
func (p priced) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d steps: sigma", p.contender.name, p.steps)
	for _, claim := range claims {
		if sigma := p.sigmas[claim]; sigma > 0 {
			fmt.Fprintf(&b, ", %s %.4g", claim, sigma)
		}
	}
	return b.String()
}

// Names of the contenders that others are compared with.
const (
	walkComplete    = "walk, complete"
	walkExponential = "walk, exponential"
	matchings       = "gossip, matchings"
	exponential     = "gossip, exponential"
)

// judge compares accuracies at each claim, and checks the statements of
// docs/COMPARISON.md.
func judge(prices []priced, all []entry) (checks []Check) {
	at := map[string]entry{}
	for _, e := range all {
		at[e.contender.name+e.claim] = e
	}
	compare := func(basis Basis, conclusion, higher, ofHigher, lower, ofLower string) {
		a, b := at[higher+ofHigher], at[lower+ofLower]
		checks = append(checks, Check{conclusion, basis, a.accuracy.mean > b.accuracy.mean, a.String() + "; " + b.String()})
	}
	const walk, gossip, on, anybody = "the walk outperforms gossip", "gossip outperforms the walk", " on the exponential graph, ", " where anybody may meet anybody, "
	compare(AsRecorded, gossip+on+onAverage, exponential, onAverage, walkExponential, onAverage)
	compare(WhatIsTrue, gossip+on+onOthers, exponential, onOthers, walkExponential, onOthers)
	compare(AsRecorded, walk+on+onAll, walkExponential, onAll, exponential, onAll)
	compare(WhatIsTrue, walk+anybody+onAverage, walkComplete, onAverage, matchings, onAverage)
	compare(WhatIsTrue, walk+anybody+onAll, walkComplete, onAll, matchings, onAll)
	compare(WhatIsTrue, walk+anybody+unmet, walkComplete, onAll, matchings, unmet)
	compare(WhatIsTrue, "gossip with partners not yet drawn outperforms gossip with fixed neighbours, "+onAll, matchings, unmet, exponential, onAll)
	return append(checks, orderings(prices)...)
}

// orderings compares noise levels, which do not depend on chance.
func orderings(prices []priced) (checks []Check) {
	add := func(p priced, claim string, holds bool) {
		checks = append(checks, Check{p.contender.name + ": " + claim, AsRecorded, holds, p.String()})
	}
	for _, p := range prices {
		mean, others, every := p.sigmas[onAverage], p.sigmas[onOthers], p.sigmas[onAll]
		local, err := privacy.LocalTight(p.contender.contributions(p.steps), claimed, atDelta)
		if err != nil {
			panic(err) // an epsilon of 1 is always attainable
		}
		add(p, "a claim on every pair takes the most noise, and no more than the local loss",
			mean <= every && others <= every && every <= local.Multiplier*(1+1e-6))
		switch {
		case p.contender.name == exponential:
			add(p, "neighbours are charged the local loss, others far less", every > local.Multiplier*(1-1e-3) && others < every/2)
		case p.contender.name == matchings:
			add(p, "no pair is charged the local loss", every < 0.9*local.Multiplier && p.sigmas[unmet] < every)
		case p.contender.complete():
			add(p, "all pairs are alike", every < mean*(1+1e-3))
		}
	}
	return checks
}
