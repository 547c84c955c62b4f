package design

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// An offer is a shape with its noise.
type offer struct {
	shape
	paid
	exact     bool // sigma is that of the shape's accountant, and not a hope
	seconds   float64
	messages  int
	megabytes float64
}

// A candidate is an offer with a clip and a length of a step.
type candidate struct {
	*offer
	clip, step float64 // step in shares of the longest
	prepared   *experiment.Prepared
	scores     []float64 // by trial
}

// mean returns the mean of the scores so far, or -Inf where none is a number.
func (c *candidate) mean() float64 {
	all := scored(c.scores)
	if len(all) == 0 && len(c.scores) > 0 {
		return math.Inf(-1)
	}
	sum := 0.0
	for _, x := range all {
		sum += x / float64(len(all))
	}
	return sum
}

// scored leaves out trials whose rows for testing lack a class, the same for all plans.
func scored(scores []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(scores), math.IsNaN)
}

// equals reports whether two candidates are the same plan.
func (c *candidate) equals(as *candidate) bool {
	return c.equal(as.shape) && c.clip == as.clip && c.step == as.step
}

// longest returns the length of a step that is 1: the longest that keeps models together, of ADMM ten times as much.
func (v *venue) longest(s shape) float64 {
	longest := 1.0
	if smooth := v.bases[false].Guarantees.Smoothness(); !math.IsInf(smooth, 1) {
		longest = 2 / smooth * (1 - 0x1p-30)
	}
	if s.rate == "gamma" {
		return 10 * longest
	}
	return longest
}

// keys returns the keys of a candidate's algorithm.
func (v *venue) keys(c *candidate) keysOf {
	return c.shape.with("", keysOf{"clip": c.clip, c.rate: c.step * v.longest(c.shape)}).algorithm
}

// privacyOf returns the keys of a plan's privacy. Walks and ADMM by a token show their last token to all, because else only its
// last holder has a model.
func (v *venue) privacyOf(c *candidate, accountant string, sigma float64) keysOf {
	p := keysOf{"accountant": accountant, "sigma": sigma}
	if len(c.own) > 0 {
		p["limits"] = v.ownClips(c.paid, c.clip)
	}
	if v.publishes() || walking(c.algorithm["kind"]) {
		p["release"] = "final"
	}
	if together := v.together(); together > 1 && c.algorithm["absent"] != nil { // who lie together when all agree on who misses a step
		p["coalition"] = together
	}
	return p
}

// offer prices a shape. A shape whose accountant takes long is priced by the local one, and hopes for less noise.
func (v *venue) offer(ctx context.Context, s shape, limits []Limit) (*offer, error) {
	if s.hope == 0 {
		return v.priceOf(ctx, s, limits)
	}
	part := s.hope
	if len(v.Participants) > manyNodes {
		short := v.shortened(s)
		own, err := v.priceOf(ctx, short, limits)
		switch {
		case errors.Is(err, errSampled):
			s.hope, s.accountant = 0, report.LocalAccountant
			return v.priceOf(ctx, s, limits)
		case err != nil || short.rounds == s.rounds:
			return own, err
		}
		local, err := v.locally(ctx, short, limits)
		if err != nil {
			return nil, err
		}
		part = min(1, own.sigma/local.sigma)
	}
	o, err := v.locally(ctx, s, limits)
	if err != nil {
		return nil, err
	}
	s.hope = part
	o.shape, o.sigma, o.exact = s, float64(part*o.sigma), false
	return o, nil
}

// locally prices a shape by the local accountant.
func (v *venue) locally(ctx context.Context, s shape, limits []Limit) (*offer, error) {
	s.accountant = report.LocalAccountant
	return v.priceOf(ctx, s, limits)
}

// brief is the number of contributions of a run of many participants from whose noise that of longer runs is estimated.
const brief = 6

// shortened returns a shape with brief contributions, or with its own if these are fewer.
func (v *venue) shortened(s shape) shape {
	for _, short := range v.wide().shapesOf(min(brief, s.rounds)) {
		if short.same(s) {
			return short
		}
	}
	return s
}

// tried returns a candidate of a shape that is priced. Prices depend on no clip and no step.
func tried(s shape) *candidate { return &candidate{offer: &offer{shape: s}, clip: 1, step: 0.1} }

// priceOf prices a shape by its accountant.
func (v *venue) priceOf(ctx context.Context, s shape, limits []Limit) (*offer, error) {
	p, err := v.prepare(ctx, v.keys(tried(s)), v.privacyOf(tried(s), s.accountant, 1))
	if err != nil {
		return nil, err
	}
	cost := p.Algorithm.Cost()
	o := &offer{shape: s, exact: true, seconds: s.seconds(int(p.Algorithm.Turns())), messages: cost.Hops, megabytes: float64(cost.Bytes) / 1e6}
	if err := v.affordable(o); err != nil {
		return nil, err
	}
	var found bool
	if o.paid, found = v.kept.of(s); !found {
		q, err := v.prices.of(s, func() (*price, error) { return v.priced(p) })
		if err != nil {
			return nil, err
		}
		bounds, err := q.bounds(ctx, limits)
		if err != nil {
			return nil, err
		}
		if o.paid, err = v.pay(s, bounds, 1); err != nil {
			return nil, err
		}
		v.kept.keep(s, o.paid)
	}
	return o, nil
}

// affordable returns nil, or which limit of a run the offer breaks.
func (v *venue) affordable(o *offer) error {
	switch l := v.Limits; {
	case l.Time > 0 && o.seconds > l.Time.Seconds():
		return fmt.Errorf("runs of %s of each participant take %.3g s, and limits.time is %v", contributions(o.rounds), o.seconds, l.Time)
	case l.Messages > 0 && o.messages > l.Messages:
		return fmt.Errorf("runs of %s of each participant take %d messages, and limits.messages is %d", contributions(o.rounds), o.messages, l.Messages)
	case l.Megabytes > 0 && o.megabytes > l.Megabytes:
		return fmt.Errorf("runs of %s of each participant take %.3g MB, and limits.megabytes is %g", contributions(o.rounds), o.megabytes, l.Megabytes)
	}
	return nil
}

// contributions writes a number of contributions.
func contributions(n int) string {
	if n == 1 {
		return "1 contribution"
	}
	return fmt.Sprintf("%d contributions", n)
}

// strictest returns limits that a plan is chosen by: all, or, of many participants, those towards single ones and the few smallest
// of each other kind.
func (v *venue) strictest(limits []Limit) []Limit {
	if len(v.Participants) <= manyNodes {
		return limits
	}
	sorted := slices.Clone(limits)
	slices.SortStableFunc(sorted, func(a, b Limit) int {
		switch {
		case a.Epsilon < b.Epsilon:
			return -1
		case a.Epsilon > b.Epsilon:
			return 1
		}
		return 0
	})
	type kind struct {
		towards string
		size    int
	}
	var few []Limit
	count := map[kind]int{}
	for _, l := range sorted {
		if k := (kind{l.Towards, l.Size}); l.Towards == each || l.Towards == named || count[k] < fewStrict {
			few, count[k] = append(few, l), count[k]+1
		}
	}
	return few
}

// fewStrict is the number of limits of a kind towards several that a plan for many is chosen by. The spec that is written keeps all limits.
const fewStrict = 4
