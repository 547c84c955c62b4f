package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Loss is an epsilon towards an observer.
type Loss struct {
	Towards string // participant's name
	Epsilon float64
}

// A Plan describes the losses and terms of a federation for one participant, computed before anything runs.
type Plan struct {
	Accountant string
	Status     privacy.Status // of all losses below
	Program    string         // for SoundIf: the program on whose assertion alone soundness rests; "" if none or not alone
	Unit       privacy.Unit   // unit of the losses; "": participants
	Delta      float64        // at which the losses hold
	Neighbours Loss           // largest loss towards a neighbour
	Others     Loss           // largest loss towards any other participant; Towards is "" if there is none
	// Named returns the loss towards the participant of a name. ok is false if nobody else who takes part has this name.
	// It is nil if nobody else takes part.
	Named func(name string) (epsilon float64, ok bool)
	// Public is the loss towards the public. It is 0 if the run shows it no model.
	Public float64
	// Coalition returns the loss towards the worst coalition of size nodes. It is nil if no accountant bounds it.
	Coalition func(size int) float64
	// Deviators is the loss towards participants that deviate from the protocol, however many. It is the loss of
	// all contributions if each is observed directly.
	Deviators     float64
	Sigma         float64 // effective noise multiplier of the releases
	Model         string
	Turns         int64     // of the whole run
	Contributions int64     // largest number of uses of this participant's data
	Hours         float64   // upper bound on the duration of the run, +Inf if none
	Book          *Standing // nil: no other runs are known
	// Fit returns the least noise multiplier, at least least, with which the same federation meets all demands. A
	// larger multiplier meets them too. Fit is nil, or returns false, if there is none or it is not known.
	Fit func(least float64, all []Demand) (sigma float64, ok bool)
}

// towards returns the loss towards the participant of a name, as Named does.
func (p Plan) towards(name string) (epsilon float64, ok bool) {
	if p.Named == nil {
		return 0, false
	}
	return p.Named(name)
}

// Whom is the kind of observer that a demand limits.
type Whom int

// The kinds of observers. All but deviators follow the protocol and are curious.
const (
	Neighbours Whom = iota
	Others
	AnyCoalition
	Deviators
	Named   // one participant
	Public  // who sees the final models
	AllRuns // one participant of each run on the same rows, together
)

// A Demand is a limit of a policy: (Epsilon, Delta) towards a kind of observer.
type Demand struct {
	Whom    Whom
	Size    int    // size of the coalition, else 1
	Name    string // of Named
	Epsilon float64
	Delta   float64
}

// An Objection is a reason not to join.
type Objection struct {
	Key  string // of the policy, such as epsilon.neighbours
	What string // the value and the limit that it exceeds
	Fits string // a change that would remove the objection; the same text for all that one change removes
}

// String returns the objection as one sentence.
func (o Objection) String() string { return o.What + "; " + o.Fits }

// Check compares a plan with the policy. It returns no objection if the participant may join. All objections that
// noise or delta can meet share one advice: the same federation with this noise and delta has none of them.
func (p *Policy) Check(plan Plan) (all []Objection) {
	objection, sound := p.checkStatus(plan)
	if !sound {
		all = append(all, objection)
	} else {
		all = append(append(all, p.checkLosses(plan)...), p.checkTotal(plan)...)
	}
	all = append(all, p.checkTerms(plan)...)
	advice := ""
	for i := range all {
		if all[i].Fits != "" {
			continue
		}
		if advice == "" {
			advice = p.fits(plan, sound)
		}
		all[i].Fits = advice
	}
	return all
}

// checkStatus refuses losses that are no sound bounds, unless an assertion of the policy makes them sound.
func (p *Policy) checkStatus(plan Plan) (Objection, bool) {
	status := string(plan.Status)
	if status == "" {
		status = "of no status"
	}
	return Objection{
		Key:  "epsilon",
		What: fmt.Sprintf("the losses of accountant %q are %s and the policy weighs only sound ones", plan.Accountant, status),
		Fits: fitsStatus(plan),
	}, plan.Status == privacy.Sound || plan.Status == privacy.SoundIf && p.asserts(plan)
}

// asserts reports whether the losses are sound on an assertion about a program of this participant that the policy
// makes.
func (p *Policy) asserts(plan Plan) bool {
	return plan.Program != "" && slices.Contains(p.Programs, plan.Program)
}

// fitsStatus describes a change that would make the losses sound.
func fitsStatus(plan Plan) string {
	if plan.Program == "" {
		return "a plan by a sound accountant would fit"
	}
	return fmt.Sprintf("programs: [%s] in the policy asserts that this participant's own program computes each row's gradient from that row alone "+
		"(hearsay model check probes it); with unit: participant nothing has to be asserted", plan.Program)
}

func (p *Policy) checkLosses(plan Plan) (all []Objection) {
	if p.Unit != privacy.Record && plan.Unit != privacy.Participant && plan.Unit != "" {
		return []Objection{{
			Key:  "unit",
			What: fmt.Sprintf("the losses are about a %s and the policy limits what is learnt about all data of this participant", plan.Unit),
			Fits: "unit: record in the policy would fit, if what is to be protected are records, each by itself",
		}}
	}
	if !(plan.Delta <= p.Delta) {
		all = append(all, Objection{
			Key:  "delta",
			What: fmt.Sprintf("the losses hold at delta %g and the policy allows delta %g", plan.Delta, p.Delta),
		})
	}
	weigh := func(key, whom string, epsilon, most float64) {
		if !(epsilon <= most) {
			all = append(all, Objection{Key: key, What: p.exceeds(whom, epsilon, plan.Delta, most)})
		}
	}
	weigh("epsilon.neighbours", "neighbour "+plan.Neighbours.Towards, plan.Neighbours.Epsilon, p.Neighbours)
	if plan.Others.Towards != "" {
		weigh("epsilon.others", plan.Others.Towards+", who is no neighbour,", plan.Others.Epsilon, p.Others)
	}
	for _, n := range p.Named {
		epsilon, ok := plan.towards(n.Towards)
		if !ok {
			all = append(all, Objection{
				Key:  "epsilon.named",
				What: fmt.Sprintf("the policy limits the loss towards %q, and nobody else who takes part is called so", n.Towards),
				Fits: "the names of the spec's participants would fit",
			})
			continue
		}
		weigh("epsilon.named", n.Towards, epsilon, n.Epsilon)
	}
	weigh("epsilon.public", "the public, who sees the final models,", plan.Public, p.Public)
	weigh("epsilon.deviators", "participants who do not keep to the protocol", plan.Deviators, p.Deviators)
	for _, c := range p.Coalitions {
		if plan.Coalition == nil {
			return append(all, Objection{
				Key:  "epsilon.coalitions",
				What: fmt.Sprintf("accountant %q does not bound the loss towards coalitions and the policy limits it", plan.Accountant),
				Fits: "a plan by an accountant that does would fit",
			})
		}
		weigh("epsilon.coalitions", fmt.Sprintf("the worst coalition of %d", c.Size), plan.Coalition(c.Size), c.Epsilon)
	}
	return all
}

// demands returns all limits on losses, at the smaller of the plan's delta and the policy's. The limit on all runs
// has a delta of its own.
func (p *Policy) demands(plan Plan) []Demand {
	delta := min(plan.Delta, p.Delta)
	all := []Demand{
		{Whom: Neighbours, Size: 1, Epsilon: p.Neighbours, Delta: delta},
		{Whom: Public, Size: 1, Epsilon: p.Public, Delta: delta},
		{Whom: Deviators, Size: 1, Epsilon: p.Deviators, Delta: delta},
	}
	if plan.Others.Towards != "" {
		all = append(all, Demand{Whom: Others, Size: 1, Epsilon: p.Others, Delta: delta})
	}
	for _, n := range p.Named {
		if _, ok := plan.towards(n.Towards); ok {
			all = append(all, Demand{Whom: Named, Size: 1, Name: n.Towards, Epsilon: n.Epsilon, Delta: delta})
		}
	}
	for _, c := range p.Coalitions {
		all = append(all, Demand{Whom: AnyCoalition, Size: c.Size, Epsilon: c.Epsilon, Delta: delta})
	}
	if p.Total != nil && plan.Book != nil {
		all = append(all, Demand{Whom: AllRuns, Size: 1, Epsilon: p.Total.Epsilon, Delta: p.Total.Delta})
	}
	return all
}

func (p *Policy) exceeds(whom string, epsilon, delta, allowed float64) string {
	return fmt.Sprintf("towards %s the loss is eps %s at delta %g and the policy allows %g", whom, up(epsilon, allowed), delta, allowed)
}

// fits describes the noise and the delta with which the policy has no objection to the losses.
func (p *Policy) fits(plan Plan, sound bool) string {
	least, terms := max(plan.Sigma, p.Sigma), []string{}
	if !(plan.Delta <= p.Delta) {
		terms = append(terms, fmt.Sprintf("delta %g", p.Delta))
	}
	sigma, ok := least, true
	if sound {
		if sigma, ok = 0, false; plan.Fit != nil {
			sigma, ok = plan.Fit(least, p.demands(plan))
		}
	}
	if !ok || !(sigma > 0) || math.IsInf(sigma, 1) {
		return "no amount of noise is known to fit; fewer contributions might"
	}
	if sigma > plan.Sigma {
		terms = append(terms, "sigma "+up(sigma, 0))
	}
	return strings.Join(terms, " with ") + " would fit"
}

// up formats x rounded up to four digits. It uses more digits if needed to show on which side of limit x lies.
func up(x, limit float64) string {
	n := 4
	for ; n < 15 && (digits.Up(x, n) > limit) != (x > limit); n++ {
	}
	return strconv.FormatFloat(digits.Up(x, n), 'g', n, 64)
}

// takes reports whether a model is accepted: by its name, or by the part before a colon, such as external.
func (p *Policy) takes(model string) bool {
	kind, _, _ := strings.Cut(model, ":")
	return slices.Contains(p.Models, model) || slices.Contains(p.Models, kind)
}

// checkTerms compares the terms that are not losses: noise, model, length.
func (p *Policy) checkTerms(plan Plan) (all []Objection) {
	object := func(bad bool, key, what, fits string) {
		if bad {
			all = append(all, Objection{Key: key, What: what, Fits: fits})
		}
	}
	object(!(plan.Sigma >= p.Sigma), "least.sigma",
		fmt.Sprintf("the noise multiplier is %g and the policy asks for %g at least", plan.Sigma, p.Sigma), "")
	object(p.Models != nil && !p.takes(plan.Model), "models",
		fmt.Sprintf("the model is %q and the policy does not accept it", plan.Model),
		strings.Join(p.Models, " or ")+" would fit")
	object(plan.Turns > p.Turns, "longest.turns",
		fmt.Sprintf("the run takes %d turns and the policy allows %d", plan.Turns, p.Turns), fmt.Sprintf("%d turns would fit", p.Turns))
	object(plan.Contributions > p.Contributions, "longest.contributions",
		fmt.Sprintf("the data is used up to %d times and the policy allows %d", plan.Contributions, p.Contributions),
		fmt.Sprintf("contributions: %d would fit", p.Contributions))
	object(!(plan.Hours <= p.Hours), "longest.hours",
		fmt.Sprintf("the run may last %g hours and the policy allows %g", plan.Hours, p.Hours), fmt.Sprintf("%g hours would fit", p.Hours))
	return all
}
