package price

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/report"
)

// A FlowAnswer holds the result of `hearsay privacy flow`, with its JSON.
type FlowAnswer struct {
	N           int             `json:"n"`
	About       *int            `json:"about,omitempty"`    // with --u alone: energies are towards each node, null at itself
	Observer    *int            `json:"observer,omitempty"` // with --v alone: energies are from each node, null at itself
	Public      bool            `json:"public,omitempty"`   // energies are towards the public, which sees the final models only
	Accountants FlowAccountants `json:"accountants"`
	Attacked    *AttackedPairs  `json:"attacked,omitempty"` // if there are too many pairs for accountants.audit
	graph       *graph.Graph
	metric      privacy.Metric
	sigma       float64
	target      float64 // 0: none
}

// FlowAccountants holds the results of the accountants of learning gossip.
type FlowAccountants struct {
	Sound *FlowPrice `json:"sound"`
	Audit *FlowPrice `json:"audit,omitempty"` // not with the cheap plan
	Local *FlowPrice `json:"local"`
}

// A FlowPrice is the result of one accountant for one pair or for all.
type FlowPrice struct {
	form.Claim
	Plan    string             `json:"plan,omitempty"`
	Energy  any                `json:"energy"`        // mu^2 sigma^2: [u][v], or one number
	Eps     any                `json:"eps,omitempty"` // at sigma
	Summary *FlowSummary       `json:"summary,omitempty"`
	Sigma   map[string]float64 `json:"sigma,omitempty"` // smallest for the requested epsilon
	// Best is the energy that the worst losses found attain. It is set in an audit of
	// one pair.
	Best *FlowPrice `json:"best,omitempty"`
	// Absorbed is the plan itself, if requested.
	Absorbed *flow.Plan `json:"absorbed,omitempty"`
	// Certificate is the plan with its run, which suffices to check the plan.
	Certificate *flow.Certificate `json:"certificate,omitempty"`
	pairs       *flow.Pairs
	side        *flow.Side
	hops        []int32 // of a side, from its node
}

// FlowSummary summarises the losses of all pairs.
type FlowSummary struct {
	Mean                report.Number `json:"mean"`
	Max                 report.Number `json:"max"`
	MaxBeyondNeighbours report.Number `json:"max_beyond_neighbours"`
}

// energy returns the result for one energy.
func (a *FlowAnswer) energy(claim form.Claim, energy float64) *FlowPrice {
	p := &FlowPrice{Claim: claim, Energy: report.Number(energy)}
	if a.sigma > 0 {
		p.Eps = report.Number(privacy.GaussianLoss(energy, a.sigma, a.metric))
	}
	if a.target > 0 {
		if cal, err := privacy.TightGaussian(energy, a.target, a.metric); err == nil {
			p.Sigma = map[string]float64{"pair": cal.Sigma}
		}
	}
	return p
}

// all returns the result for all pairs.
func (a *FlowAnswer) all(accountant *flow.Accountant, pairs *flow.Pairs) (*FlowPrice, error) {
	p := &FlowPrice{Claim: form.NewClaim(pairs.Claim), Energy: form.LossRows(a.N, pairs.At), pairs: pairs}
	if a.sigma > 0 {
		losses, err := pairs.Losses(a.sigma, a.metric)
		if err != nil {
			return nil, err
		}
		s, err := accountant.Summarise(pairs, a.sigma, a.metric)
		if err != nil {
			return nil, err
		}
		p.Eps = form.LossRows(a.N, losses.Table())
		p.summed(s)
	}
	if a.target > 0 {
		s, err := accountant.Calibrate(pairs, a.target, a.metric)
		if err != nil {
			return nil, err
		}
		p.calibrated(s)
	}
	return p, nil
}

func (p *FlowPrice) summed(s flow.Summary) {
	p.Summary = &FlowSummary{report.Number(s.Mean), report.Number(s.Max), report.Number(s.Beyond)}
}

func (p *FlowPrice) calibrated(s flow.Sigmas) {
	p.Sigma = map[string]float64{"mean": s.Mean.Sigma, "max": s.Max.Sigma, "max_beyond_neighbours": s.Beyond.Sigma}
}

// Print writes one pair, or all pairs by distance.
func (a *FlowAnswer) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d nodes, %s\n", a.graph.Name(), a.N, a.metric)
	if a.Public {
		fmt.Fprintln(w, "towards the public, who takes no part and sees the final models alone (local: all messages)")
	}
	if a.Accountants.Sound.pairs != nil || a.Accountants.Sound.side != nil {
		if err := a.printPairs(w); err != nil {
			return err
		}
	} else if err := a.printPair(w); err != nil {
		return err
	}
	if plan := a.Accountants.Sound.Absorbed; plan != nil {
		printAbsorbed(w, plan)
	}
	form.PrintIf(w, a.Accountants.Sound.Claim)
	for _, assumption := range a.Accountants.Sound.Assumptions {
		fmt.Fprintf(w, "%s assumes: %s\n", a.Accountants.Sound.Status, assumption)
	}
	return nil
}

func (a *FlowAnswer) printPair(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tenergy\t")
	if a.sigma > 0 {
		fmt.Fprint(t, "eps\t")
	}
	if a.target > 0 {
		fmt.Fprintf(t, "sigma for eps %g\t", a.target)
	}
	fmt.Fprintln(t)
	for _, p := range []*FlowPrice{a.Accountants.Sound, a.Accountants.Audit.Best, a.Accountants.Audit, a.Accountants.Local} {
		name := string(p.Status)
		switch p {
		case a.Accountants.Local:
			name = "local"
		case a.Accountants.Audit:
			name = "audit, flat losses"
		}
		s := report.Status(p.Status)
		fmt.Fprintf(t, "%s\t%s\t", name, form.Loss(p.Energy.(report.Number), s))
		if a.sigma > 0 {
			fmt.Fprintf(t, "%s\t", form.Loss(p.Eps.(report.Number), s))
		}
		if a.target > 0 {
			fmt.Fprintf(t, "%s\t", report.Upwards(float64(p.Sigma["pair"]), 4))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// printAbsorbed writes the absorbed amount of each node, round by round.
func printAbsorbed(w io.Writer, plan *flow.Plan) {
	for t, round := range plan.Rounds {
		fmt.Fprintf(w, "round %d:", t)
		for k, node := range round.Nodes {
			fmt.Fprintf(w, " %d:%.6g", node, round.Amounts[k])
		}
		fmt.Fprintln(w)
	}
}

func (a *FlowAnswer) printPairs(w io.Writer) error {
	sound, local := a.Accountants.Sound, a.Accountants.Local
	if s := sound.Summary; s != nil {
		up := func(x report.Number) string { return form.Loss(x, report.Status(sound.Status)) }
		fmt.Fprintf(w, "%s, %s plan: mean %s, worst %s, worst beyond neighbours %s; local: %s\n",
			sound.Status, sound.Plan, up(s.Mean), up(s.Max), up(s.MaxBeyondNeighbours), up(local.Eps.(report.Number)))
	}
	for _, name := range slices.Sorted(maps.Keys(sound.Sigma)) {
		fmt.Fprintf(w, "sigma for eps %g, %s: %s (local: %s)\n", a.target, name, report.Upwards(float64(sound.Sigma[name]), 6),
			report.Upwards(float64(local.Sigma["pair"]), 6))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\nhops\tpairs\t%s, energy: mean\tworst\t", sound.Status)
	if a.Accountants.Audit != nil {
		fmt.Fprint(t, "audit: mean\tworst\t")
	}
	fmt.Fprintln(t)
	for _, ring := range a.rings() {
		away := form.Away(ring.Hops)
		if a.Public {
			away = "all"
		}
		fmt.Fprintf(t, "%s\t%d\t", away, ring.Pairs)
		for i, of := range ring.Of { // bounds first, then attacks
			s := []report.Status{report.Sound, report.Audit}[i]
			fmt.Fprintf(t, "%s\t%s\t", report.Loss(of.Mean(), s), report.Loss(of.Max, s))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return a.Attacked.Print(w)
}

// rings returns the pairs by distance, with the energies of the bound and, if there is
// one, of the audit.
func (a *FlowAnswer) rings() []graph.Ring {
	sound, audit := a.Accountants.Sound, a.Accountants.Audit
	if sound.side != nil {
		return a.sideRings()
	}
	values := []func(u, v int) float64{sound.pairs.At}
	if audit != nil {
		values = append(values, audit.pairs.At)
	}
	return a.graph.Rings(values...)
}
