package price

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/report"
)

// side computes the losses of all nodes to one observer or the public, or of one node to
// all.
func (f *FlowQuestion) side(answer *FlowAnswer, a *flow.Accountant) error {
	if f.Public {
		return f.public(answer, a)
	}
	plan := flow.Method(f.Plan)
	if f.Plan == "auto" {
		plan = a.MethodFor(quickFlow)
	}
	if err := f.lasts(a.SideCost(plan, f.v >= 0), "--plan cheap is quicker, and so is one pair: --u U --v V"); err != nil {
		return err
	}
	side, err := f.price(a, plan)
	if err != nil {
		return err
	}
	if side.Towards {
		answer.Observer = &side.Node
	} else {
		answer.About = &side.Node
	}
	hops := slices.Clone(graph.NewSearch(answer.graph).From(side.Node))
	answer.Accountants.Sound, err = answer.sideOf(a, side)
	if err != nil {
		return err
	}
	answer.Accountants.Sound.by(string(plan))
	answer.Accountants.Sound.hops = hops
	if a.AuditCostOf(answer.N) <= quickFlow {
		lower, err := a.AuditSide(side, form.Workers())
		if err != nil {
			return err
		}
		answer.Accountants.Audit, err = answer.sideOf(a, lower)
		return err
	}
	answer.Attacked = answer.attack(a, flow.WorstOfSide(side, hops), func(u, v int) float64 {
		if side.Towards {
			return side.Values[u]
		}
		return side.Values[v]
	})
	return nil
}

func (f *FlowQuestion) price(a *flow.Accountant, by flow.Method) (*flow.Side, error) {
	if f.v >= 0 {
		return a.SideTowards(f.v, by, form.Workers())
	}
	return a.SideFrom(f.u, by, form.Workers())
}

// public computes the losses of all nodes to the public.
func (f *FlowQuestion) public(answer *FlowAnswer, a *flow.Accountant) error {
	movements, plan := movementsOf(answer.graph), flow.Method(f.Plan)
	if f.Plan == "auto" {
		plan = a.PublicMethod(movements, quickFlow)
	}
	if err := f.lasts(a.PublicCost(movements, plan), "--plan cheap is quicker, and so is one node: --u U"); err != nil {
		return err
	}
	side, err := a.Public(movements, plan, form.Workers())
	if err != nil {
		return err
	}
	if answer.Accountants.Sound, err = answer.sideOf(a, side); err != nil {
		return err
	}
	answer.Accountants.Sound.by(string(plan))
	if a.AuditCostOf(answer.N) > quickFlow {
		return nil
	}
	answer.Accountants.Audit, err = answer.sideOf(a, a.AuditPublic(movements, form.Workers()))
	return err
}

// by sets the plan.
func (p *FlowPrice) by(plan string) *FlowPrice {
	if p != nil {
		p.Plan = plan
	}
	return p
}

// sideOf returns the result for one side.
func (a *FlowAnswer) sideOf(accountant *flow.Accountant, s *flow.Side) (*FlowPrice, error) {
	p := &FlowPrice{Claim: form.NewClaim(s.Claim), Energy: report.Vector(s.Values), side: s}
	if a.sigma > 0 {
		p.Eps = report.Vector(accountant.LossesOf(s, a.sigma, a.metric))
		p.summed(accountant.SummariseSide(s, a.sigma, a.metric))
	}
	if a.target > 0 {
		found, err := accountant.CalibrateSide(s, a.target, a.metric)
		if err != nil {
			return nil, err
		}
		p.calibrated(found)
	}
	return p, nil
}

// An AttackedPair is the pair with the largest loss at its distance, which was attacked
// for that reason.
type AttackedPair struct {
	Hops     int           `json:"hops"`
	About    int           `json:"about"`
	Observer int           `json:"observer"`
	Audit    report.Number `json:"audit"` // energy that the attack attains
	Sound    report.Number `json:"sound"` // energy of the bound
}

// attack attacks as many of the pairs as the work limit allows, with a nearly optimal
// bound for each.
func (a *FlowAnswer) attack(accountant *flow.Accountant, worst [][2]int, bound func(u, v int) float64) *AttackedPairs {
	some := flow.Spread(worst, accountant.Attackable(quickFlow))
	found := &AttackedPairs{Claim: form.NewClaim(accountant.AuditClaim()), Of: len(worst)}
	attained, search := accountant.AuditSome(some, form.Workers()), graph.NewSearch(a.graph)
	for i, e := range accountant.SharpenSome(some, form.Workers()) {
		u, v := some[i][0], some[i][1]
		found.Pairs = append(found.Pairs, AttackedPair{
			Hops: int(search.From(u)[v]), About: u, Observer: v, Audit: report.Number(attained[i]), Sound: report.Number(min(e, bound(u, v))),
		})
	}
	return found
}

// AttackedPairs holds the attacked pairs if there are too many to attack all.
type AttackedPairs struct {
	form.Claim
	Pairs []AttackedPair `json:"pairs"`
	Of    int            `json:"of_distances"` // number of distances; at each, the pair with the largest loss is a candidate
}

// Print writes the bounds beside the attacks.
func (p *AttackedPairs) Print(w io.Writer) error {
	if p == nil {
		return nil
	}
	fmt.Fprintf(w, "\nToo many pairs to attack all of them: of the one that loses most at %d of %d distances, energy\n", len(p.Pairs), p.Of)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "hops\tabout\tobserver\tat least (audit)\tat most\t")
	for _, pair := range p.Pairs {
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\t\n", pair.Hops, pair.About, pair.Observer, form.Loss(pair.Audit, report.Audit), form.Loss(pair.Sound, report.Sound))
	}
	return t.Flush()
}

// sideRings returns the pairs of a side by distance.
func (a *FlowAnswer) sideRings() (some []graph.Ring) {
	sound, audit := a.Accountants.Sound, a.Accountants.Audit
	if sound.hops == nil { // the public has no distance
		sound.hops = make([]int32, a.N)
	}
	var rings []graph.Ring // by hops + 1
	for j, hops := range sound.hops {
		if j == sound.side.Node {
			continue
		}
		for len(rings) <= int(hops)+1 {
			rings = append(rings, graph.Ring{Hops: len(rings) - 1, Of: make([]graph.Tally, 1)})
		}
		ring := &rings[hops+1]
		ring.Pairs++
		ring.Of[0].Add(sound.side.Values[j])
		if audit != nil {
			if len(ring.Of) < 2 {
				ring.Of = append(ring.Of, graph.Tally{})
			}
			ring.Of[1].Add(audit.side.Values[j])
		}
	}
	for _, ring := range rings {
		if ring.Pairs > 0 {
			some = append(some, ring)
		}
	}
	return some
}
