package design

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Plan holds a plan of a family with its costs and its utility.
type Plan struct {
	Family     string        `json:"family"`
	Detail     string        `json:"detail"`
	Accountant string        `json:"accountant"`
	Rounds     int           `json:"contributions"` // of each participant
	Clip       float64       `json:"clip"`
	Step       float64       `json:"step"` // step_size, of ADMM gamma
	Sigma      float64       `json:"sigma"`
	Share      float64       `json:"share"`   // of the limit that is spent first
	Binding    string        `json:"binding"` // that limit, in words
	Seconds    float64       `json:"seconds"` // estimated
	Messages   int           `json:"messages"`
	Megabytes  float64       `json:"megabytes"`
	Utility    Utility       `json:"utility"`
	Chosen     report.Number `json:"chosen_by"` // mean score on the rows that plans were chosen by
	Front      bool          `json:"front"`     // no other is at least as good in utility, share and time, and better in one

	Lost string `json:"lost,omitempty"` // why, in words; of the best plan of each family but the winner

	candidate *candidate
}

// A Design is the result of a search.
type Design struct {
	Name     string            `json:"name"`
	Measure  string            `json:"measure"` // of utility: balanced accuracy, or an error below 0
	Plans    report.List[Plan] `json:"plans"`   // the winner first
	Refused  []Refusal         `json:"refused"`
	Conflict *Conflict         `json:"conflict,omitempty"` // nil: Plans[0] is the plan
	Losses   []Loss            `json:"losses,omitempty"`   // of the winner, limit by limit, as its spec is priced
	Covers   string            `json:"covers,omitempty"`   // metric and unit of these losses, and whether they count the final model
	Won      string            `json:"won"`                // the winner, in words
	Why      string            `json:"why"`                // why it won
	Notes    []string          `json:"notes"`

	Federation *Federation `json:"federation,omitempty"` // nil: no spec was written

	wishes *Wishes
	venue  *venue
	left   []*candidate // that plans are made of, the winner first
}

// A Loss compares a limit with the loss of the plan.
type Loss struct {
	Wish   string        `json:"wish"`
	Limit  float64       `json:"limit"`
	Spent  report.Number `json:"spent"`
	Status string        `json:"status"`
}

// Options configure a search.
type Options struct {
	Tell func(what string, done, total int) // progress; may be nil
}

// finalTrials is the number of trials of the plans that are shown, on rows that they were not chosen by.
const finalTrials = 20

// fewShares is the number of plans that are shown at parts of the limits, too.
const fewShares = 3

// even is the part of the best score up to which a plan counts as good as the best. Of these the one that takes least time wins.
const even = 0.005

// swiftest puts the winner first: of the plans about as good as the best, with a price, the one that takes least time.
func swiftest(sorted []*candidate) []*candidate {
	first, winner := sorted[0].mean(), 0
	for i, c := range sorted {
		if c.exact && c.mean() >= first-float64(even*math.Abs(first)) && c.seconds < sorted[winner].seconds {
			winner = i
		}
	}
	won := sorted[winner]
	return append([]*candidate{won}, slices.DeleteFunc(slices.Clone(sorted), func(c *candidate) bool { return c == won })...)
}

// shares are the parts of the limits that plans are shown at.
var shares = []float64{1, 0.5, 0.25}

// Run searches for the best plan. The result has no plan but a conflict if wishes contradict each other.
func Run(ctx context.Context, w *Wishes, o Options) (*Design, error) {
	if o.Tell == nil {
		o.Tell = func(string, int, int) {}
	}
	v, err := newVenue(ctx, w, true)
	if err != nil {
		return nil, err
	}
	shown, err := newVenue(ctx, w, false) // what it refuses is refused before the search
	if err != nil {
		return nil, err
	}
	s := &search{venue: v, limits: v.strictest(w.limits()), tell: o.Tell, reasons: map[string]string{}}
	if len(w.Participants) > manyNodes {
		v.kept = &kept{}
	}
	left, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	d := &Design{Name: w.Name, wishes: w, venue: shown, Measure: report.BalancedAccuracy, Refused: v.ruledOut(), Notes: []string{}}
	if v.classes() == 0 {
		d.Measure = "error, below 0"
	}
	d.venue.way = v.way
	for _, name := range slices.Sorted(maps.Keys(s.reasons)) {
		if !slices.ContainsFunc(left, func(c *candidate) bool { return c.family == name }) {
			d.Refused = append(d.Refused, Refusal{name, s.reasons[name]})
		}
	}
	best := math.Inf(-1)
	if len(left) > 0 {
		best = left[0].mean()
	}
	left = slices.DeleteFunc(left, func(c *candidate) bool { return !w.Goal.meets(c.mean()) })
	if len(left) == 0 {
		d.Conflict, err = s.conflict(ctx, best)
		return d, err
	}
	d.left = firsts(swiftest(left), 1)
	return d, d.show(ctx, o.Tell)
}

// show prices plans for the run itself and rehearses them on rows that they were not chosen by, at parts of the limits.
func (d *Design) show(ctx context.Context, tell func(string, int, int)) error {
	left := d.left
	d.Plans = nil
	for i, c := range left {
		limits := d.wishes.limits()
		if !c.exact && len(d.wishes.Participants) > manyNodes {
			d.refuse(c.family, fmt.Sprintf("its run of %d contributions was not priced: with %.0f %% of the noise of public messages, which a short run asks for, it scores %.3f, and the winner %.3f",
				c.rounds, 100*c.hope, c.mean(), left[0].mean()))
			continue
		}
		if len(d.Plans) > 0 { // the first is the winner, and its spec keeps all limits
			limits = d.venue.strictest(limits)
		}
		tell("rehearsing what is left", i, len(left))
		own := *c
		own.prepared = nil
		found, err := d.venue.remade(ctx, &own, limits)
		if err != nil {
			d.refuse(c.family, err.Error())
			continue
		}
		for _, part := range shares {
			if part < 1 && i >= fewShares {
				break
			}
			plan, err := d.venue.planned(ctx, found, part)
			if err != nil && ctx.Err() != nil {
				return err
			}
			if err != nil { // no noise keeps a limit of somebody with few partners, for example
				if part == 1 {
					d.refuse(c.family, err.Error())
				}
				break
			}
			plan.Chosen = report.Number(c.mean())
			d.Plans = append(d.Plans, *plan)
		}
	}
	if len(d.Plans) == 0 {
		return fault.New("no plan keeps all limits when it is priced for the run itself: "+d.Refused[len(d.Refused)-1].Why, "loosen a limit")
	}
	d.front()
	d.explain()
	return nil
}

// refuse says why a family has no plan, once.
func (d *Design) refuse(family, why string) {
	d.Refused = append(slices.DeleteFunc(d.Refused, func(r Refusal) bool { return r.Family == family }), Refusal{family, why})
}

// Write writes the winner's spec at path and checks the file. A winner whose account of all pairs, which `hearsay plan` shows, is
// above a limit that its laws keep gives way to the next. No spec that breaks a limit is left.
func (d *Design) Write(ctx context.Context, path string, tell func(what string, done, total int)) error {
	for {
		if err := d.WriteSpec(path); err != nil {
			return err
		}
		tell("checking the spec", 0, 1)
		err := d.Checked(ctx, path)
		if err == nil {
			return nil
		}
		Remove(path)
		won := d.Plans[0].Family
		d.left = slices.DeleteFunc(d.left, func(c *candidate) bool { return c.family == won })
		if !errors.Is(err, errOverspent) || len(d.left) == 0 {
			return err
		}
		d.refuse(won, err.Error())
		if err := d.show(ctx, tell); err != nil {
			return err
		}
	}
}

// Remove removes the spec at path and the file of its edges.
func Remove(path string) { _ = errors.Join(os.Remove(path), os.Remove(edgesBeside(path))) }

// errOverspent is the cause of an error of Checked about a limit that is broken.
var errOverspent = errors.New("a limit is broken")

// A found is a candidate in the venue of the run, with the bounds of all limits.
type found struct {
	*candidate
	bounds []*bound
}

// remade prepares a candidate for the run itself: with the numbers of rows that nodes then have.
func (v *venue) remade(ctx context.Context, c *candidate, limits []Limit) (*found, error) {
	shapes := v.wide().shapesOf(c.rounds)
	at := slices.IndexFunc(shapes, func(s shape) bool { return s.same(c.shape) })
	if at < 0 {
		return nil, fault.New("it does not go with all rows", "")
	}
	own := *c.offer
	own.shape, own.paid = shapes[at], paid{}
	own.accountant = c.accountant
	c.offer = &own
	p, err := v.prepare(ctx, v.keys(c), v.privacyOf(c, c.accountant, 1))
	if err != nil {
		return nil, err
	}
	c.prepared = p
	q, err := v.priced(p)
	if err != nil {
		return nil, err
	}
	bounds, err := q.bounds(ctx, limits)
	return &found{c, bounds}, err
}

// planned calibrates a candidate to a part of all limits and rehearses it.
func (v *venue) planned(ctx context.Context, f *found, part float64) (*Plan, error) {
	c := *f.candidate
	offer := *c.offer
	c.offer, c.scores = &offer, nil
	var err error
	if offer.paid, err = v.pay(c.shape, f.bounds, part); err != nil {
		return nil, err
	}
	if len(offer.own) > 0 {
		c.prepared = nil
	}
	if err := v.rehearse(ctx, &c, finalTrials); err != nil {
		return nil, err
	}
	return &Plan{
		Family: c.family, Detail: c.detail, Accountant: c.accountant, Rounds: c.rounds, Clip: c.clip, Step: c.step * v.longest(c.shape), Sigma: c.sigma, Share: part,
		Binding: v.say(c.binding), Seconds: c.seconds, Messages: c.messages, Megabytes: c.megabytes, Utility: utilityOf(c.scores), candidate: &c,
	}, nil
}

// front marks the plans that no other beats.
func (d *Design) front() {
	for i := range d.Plans {
		p := &d.Plans[i]
		p.Front = !slices.ContainsFunc(d.Plans, func(o Plan) bool {
			return o.Utility.Score >= p.Utility.Score && o.Share <= p.Share && o.Seconds <= p.Seconds &&
				(o.Utility.Score > p.Utility.Score || o.Share < p.Share || o.Seconds < p.Seconds)
		})
	}
}

// Checked reads the spec that was written at path, prices it as `hearsay plan` does, and compares every limit. An error names the
// first limit that the spec breaks.
func (d *Design) Checked(ctx context.Context, path string) error {
	s, err := experiment.Load(path)
	if err != nil {
		return err
	}
	priced, err := experiment.Prepare(ctx, s, nil)
	if err != nil {
		return err
	}
	m, err := family.Metric(&s.Privacy)
	if err != nil {
		return err
	}
	d.Covers = covers(priced, family.Tightest(m))
	if d.Losses, err = d.wishes.check(ctx, d.venue, priced); err != nil {
		return err
	}
	idle, err := d.venue.idle(ctx, priced)
	if len(idle) > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("The plan learns from no row of %s: its route does not come there. Another seed gives another route.", strings.Join(idle, ", ")))
	}
	return err
}

// idle returns the participants who lose nothing, however little noise there is: nothing of theirs reaches anybody.
func (v *venue) idle(ctx context.Context, p *experiment.Priced) (names []string, err error) {
	if !walking(p.Spec.Algorithm.Kind) { // all others hear everybody
		return nil, nil
	}
	q, err := v.accounted(p)
	if err != nil {
		return nil, err
	}
	for u, participant := range v.Participants {
		b, err := q.of(ctx, Limit{About: u, Towards: each})
		if err != nil {
			return nil, err
		}
		if loss, err := b.loss(privacy.LeastSigma); err != nil {
			return nil, err
		} else if loss == 0 {
			names = append(names, participant.Name)
		}
	}
	return names, nil
}

// accounted opens the prices of a spec with its account.
func (v *venue) accounted(p *experiment.Priced) (*price, error) {
	q, err := v.priced(&p.Prepared)
	if err != nil || len(v.Participants) <= manyNodes {
		return q, err
	}
	if own := p.Accounting.Own(); own.Accountant == q.asked.Name {
		q.pairs = own // the laws behind it are those that a second account would find
	}
	return q, nil
}

// walking reports whether plans of a kind have a token, which may come to a participant seldom or never.
func walking(kind any) bool { return kind == "walk" || kind == "admm-walk" }

// check compares every limit with the losses of a priced spec: those of its accounts, and those of its laws.
func (w *Wishes) check(ctx context.Context, v *venue, p *experiment.Priced) (all []Loss, err error) {
	if p.Spec.Privacy.Unit != w.unit() && p.Spec.Privacy.Unit != spec.UnitParticipant {
		return nil, fault.New("the spec protects "+p.Spec.Privacy.Unit+"s and a policy asks for "+w.unit()+"s", "")
	}
	q, err := v.accounted(p)
	if err != nil {
		return nil, err
	}
	own := p.Accounting.Own()
	for _, l := range w.limits() {
		b, err := q.of(ctx, l)
		if err != nil {
			return nil, err
		}
		spent, err := b.loss(p.Accounting.Sigma)
		if err != nil {
			return nil, err
		}
		u := q.nodes[l.About]
		for v := range p.Spec.Nodes { // the account that plan shows must keep the limit, too
			if v != u && (l.Towards == each || l.Towards == named && v == q.nodes[l.Named]) {
				spent = max(spent, own.Bound(u, v))
			}
		}
		if !(spent <= l.Epsilon) || own.Status != report.Sound {
			return nil, &fault.Error{What: w.say(l) + ": hearsay plan says " + report.Loss(spent, own.Status) + " of the spec that was found",
				Hint: "no spec was kept: raise that limit by a little", Err: errOverspent}
		}
		all = append(all, Loss{w.say(l), l.Epsilon, report.Number(spent), string(own.Status)})
	}
	return all, nil
}
