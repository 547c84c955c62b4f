package design

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// A search looks for the best plan in a venue.
type search struct {
	*venue
	limits  []Limit // that plans are chosen by
	tell    func(what string, done, total int)
	offered []*offer // of all shapes so far
	reasons map[string]string
	quick   bool // nothing is refined
}

// clips and steps are the values that are tried first, the latter as shares of the longest step.
var (
	clips = []float64{0.25, 1}
	steps = []float64{0.03, 0.17, 1}
)

// few is the number of candidates that a halving leaves, or one a family if these are more. mostTrials is how often these are
// rehearsed, and lastTrials how often those are that the winner is taken from, of few participants.
const few, mostTrials, quickTrials, lastTrials = 8, 24, 8, 64

// run returns the candidates that are left, the best first: the best of each family among them.
func (s *search) run(ctx context.Context) ([]*candidate, error) {
	if !s.quick {
		if err := s.weigh(ctx); err != nil {
			return nil, err
		}
	}
	var all []*candidate
	for _, rounds := range lengths {
		offers, err := s.offers(ctx, s.shapesOf(rounds), s.offer)
		if err != nil {
			return nil, err
		}
		all = append(all, tuned(offers)...)
	}
	most := mostTrials
	if s.quick {
		most = quickTrials
	}
	left, err := s.halved(ctx, all, most)
	if err != nil || len(left) == 0 {
		return left, err
	}
	if left, err = s.settled(ctx, left, most); err != nil || len(left) == 0 || s.quick {
		return left, err
	}
	for range mostRefined(len(s.Participants)) {
		best := left[0].mean()
		if left, err = s.refined(ctx, left); err != nil || !(left[0].mean() > best+float64(worthwhile*math.Abs(best))) {
			break
		}
	}
	if err == nil && len(s.Participants) <= manyNodes {
		err = s.rehearsed(ctx, left, lastTrials)
	}
	return sorted(left), err
}

// worthwhile is the part of the best score by which a refinement must raise it for another one to follow.
const worthwhile = 0.002

// mostRefined is how often the best of a search are refined, as long as that is worthwhile.
func mostRefined(participants int) int {
	if participants > manyNodes {
		return 2
	}
	return 6
}

// weigh decides whether rows count alike or participants do, and whether gossip clips each row or each participant's mean, by the
// simplest family.
func (s *search) weigh(ctx context.Context) error {
	ways := []way{{}}
	if s.mostRows() > 0 {
		ways = append(ways, way{rowsAlike: true})
	}
	if s.unit() == spec.UnitParticipant {
		for _, one := range slices.Clone(ways) {
			ways = append(ways, way{one.rowsAlike, true})
		}
	}
	if len(ways) == 1 {
		return nil
	}
	best := math.Inf(-1)
	for _, one := range ways {
		trying := search{venue: &venue{}, limits: s.limits, tell: s.tell, reasons: map[string]string{}}
		*trying.venue = *s.venue
		trying.way = one
		shapes := slices.DeleteFunc(trying.shapesOf(lengths[2]), func(s shape) bool { return s.family != fixedGossip })
		offers, err := trying.offers(ctx, shapes, trying.offer)
		if err != nil {
			return err
		}
		left, err := trying.halved(ctx, tuned(offers), 8)
		if err != nil {
			return err
		}
		if len(left) > 0 && left[0].mean() > best {
			best, s.way = left[0].mean(), one
		}
	}
	return nil
}

// offers prices shapes with price. It drops those without a price and remembers why.
func (s *search) offers(ctx context.Context, shapes []shape, price func(context.Context, shape, []Limit) (*offer, error)) (all []*offer, err error) {
	found, why := make([]*offer, len(shapes)), make([]error, len(shapes))
	done := newCount(func(done int) { s.tell("pricing plans", done, len(shapes)) })
	err = sim.Each(ctx, len(shapes), runtime.GOMAXPROCS(0), func(ctx context.Context, i int) error {
		if why[i] = s.real(s.keys(tried(shapes[i])), s.privacyOf(shapes[i], shapes[i].accountant, 1)); why[i] == nil {
			found[i], why[i] = price(ctx, shapes[i], s.limits)
		}
		done.up()
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for i, shape := range shapes {
		if why[i] != nil {
			s.reasons[shape.family] = cmp.Or(s.reasons[shape.family], why[i].Error())
			continue
		}
		all = append(all, found[i])
	}
	s.offered = append(s.offered, all...)
	return all, nil
}

// tuned returns candidates for every clip and step of offers.
func tuned(offers []*offer) (all []*candidate) {
	for _, o := range offers {
		for _, clip := range clips {
			for _, step := range steps {
				all = append(all, &candidate{offer: o, clip: clip, step: step})
			}
		}
	}
	return all
}

// sorted puts the best first. Of those that are as good the first stays first.
func sorted(all []*candidate) []*candidate {
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.mean(), a.mean()) })
	return all
}

// halved rehearses candidates on two trials, of many participants on one, the better half on twice as many, and so on, until few
// are left. The best of each family stays to the end.
func (s *search) halved(ctx context.Context, all []*candidate, most int) ([]*candidate, error) {
	first := 2
	if len(s.Participants) > manyNodes {
		first = 1
	}
	for trials := first; len(all) > 0; trials = min(2*trials, most) {
		if err := s.rehearsed(ctx, all, trials); err != nil {
			return nil, err
		}
		all = sorted(all)
		if trials >= most || len(all) <= few {
			break
		}
		all = firsts(all, max(few, (len(all)+1)/2))
	}
	left := firsts(all, few)
	err := s.rehearsed(ctx, left, most)
	return sorted(left), err
}

// firsts returns the first of sorted candidates, and the first of each family.
func firsts(all []*candidate, most int) (kept []*candidate) {
	families := map[string]bool{}
	for i, c := range all {
		if i < most || !families[c.family] {
			kept = append(kept, c)
		}
		families[c.family] = true
	}
	return kept
}

// rehearsed runs candidates in as many trials, less those that they have been in. One that cannot be prepared scores -Inf.
func (s *search) rehearsed(ctx context.Context, all []*candidate, trials int) error {
	done := newCount(func(done int) {
		s.tell(fmt.Sprintf("rehearsing %d plans, %d trials each", len(all), trials), done, len(all))
	})
	return sim.Each(ctx, len(all), runtime.GOMAXPROCS(0), func(ctx context.Context, i int) error {
		defer done.up()
		return s.rehearse(ctx, all[i], trials)
	})
}

// rehearse runs one candidate in as many trials, less those that it has been in.
func (v *venue) rehearse(ctx context.Context, c *candidate, trials int) (err error) {
	if c.prepared == nil {
		if c.prepared, err = v.prepare(ctx, v.keys(c), v.privacyOf(c.shape, c.accountant, c.sigma)); err != nil {
			c.prepared, c.scores = nil, []float64{math.Inf(-1)}
			return ctx.Err()
		}
	}
	for t := len(c.scores); t < trials; t++ {
		x, err := trial(ctx, c.prepared, c.sigma, t)
		if err != nil {
			return err
		}
		c.scores = append(c.scores, x)
	}
	return nil
}

// settled prices candidates that beat all exact ones by the noise that they hope for, and rehearses them again. It drops those
// without a price.
func (s *search) settled(ctx context.Context, all []*candidate, most int) ([]*candidate, error) {
	var hopeful []shape
	var of []*offer
	known := math.Inf(-1)
	for _, c := range all {
		if c.exact {
			known = max(known, c.mean())
		}
	}
	for _, c := range all {
		if !c.exact && c.mean() > known && !slices.Contains(of, c.offer) {
			hopeful, of = append(hopeful, c.shape), append(of, c.offer)
		}
	}
	exact, err := s.offers(ctx, hopeful, s.priceOf)
	if err != nil {
		return nil, err
	}
	var kept []*candidate
	for _, c := range all {
		if slices.Contains(of, c.offer) {
			at := slices.IndexFunc(exact, func(o *offer) bool { return o.same(c.shape) && o.rounds == c.rounds })
			if at < 0 {
				continue
			}
			c = &candidate{offer: exact[at], clip: c.clip, step: c.step}
		}
		kept = append(kept, c)
	}
	err = s.rehearsed(ctx, kept, most)
	return sorted(kept), err
}

// same reports whether two shapes differ in the number of rounds alone.
func (o shape) same(as shape) bool { return o.family == as.family && o.detail == as.detail }

// refined tries neighbours of the best candidates: other lengths, clips, steps and turns of averaging. It returns the best of all.
func (s *search) refined(ctx context.Context, left []*candidate) ([]*candidate, error) {
	var more []*candidate
	for k, c := range left[:min(len(left), 3)] {
		tried := func(shapes []shape, clip, step float64) error {
			offers, err := s.offers(ctx, shapes, s.priceOf)
			for _, o := range offers {
				more = append(more, &candidate{offer: o, clip: clip, step: min(1, step)})
			}
			return err
		}
		cheap := c.hope == 0 || k == 0 // to price
		for _, factor := range []float64{0.55, 1.8} {
			clip, step := float64(c.clip*factor), float64(c.step*factor)
			more = append(more, &candidate{offer: c.offer, clip: clip, step: c.step}, &candidate{offer: c.offer, clip: c.clip, step: min(1, step)},
				&candidate{offer: c.offer, clip: clip, step: min(1, c.step/factor)})
			if !cheap {
				continue
			}
			longer := s.lengthened(c, factor)
			if err := errors.Join(tried(longer, c.clip, c.step), tried(longer, c.clip, c.step/factor)); err != nil {
				return nil, err
			}
		}
		if cheap {
			if err := tried(s.turned(c), c.clip, c.step); err != nil {
				return nil, err
			}
		}
	}
	better, err := s.halved(ctx, slices.DeleteFunc(more, func(c *candidate) bool { return slices.ContainsFunc(left, c.equals) }), mostTrials)
	if err != nil {
		return nil, err
	}
	return firsts(sorted(append(left, better...)), few), nil
}

// mostRounds is the largest number of contributions that is tried.
const mostRounds = 324

// lengthened returns the shape of a candidate with so many times the rounds.
func (s *search) lengthened(c *candidate, factor float64) []shape {
	rounds := max(1, int(float64(c.rounds)*factor))
	if factor > 1 {
		rounds = min(mostRounds, max(rounds, c.rounds+1))
	}
	return slices.DeleteFunc(s.wide().shapesOf(rounds), func(o shape) bool { return !o.same(c.shape) })
}

// turned returns the shapes of a candidate with half and with twice its turns of averaging.
func (s *search) turned(c *candidate) []shape {
	turns := c.turns()
	if turns == 0 {
		return nil
	}
	return slices.DeleteFunc(s.wide().shapesOf(c.rounds), func(o shape) bool {
		return o.family != c.family || o.algorithm["secrets"] != c.algorithm["secrets"] || o.turns() != 2*turns && 2*o.turns() != turns
	})
}
