package design

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
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

// clips and steps are the values that are tried first, the latter as shares of the longest step. Where strict participants clip
// smaller, mostClip is tried too. Its steps are shorter, because noise is in proportion to the clip.
var (
	clips = []float64{0.25, 1}
	steps = []float64{0.03, 0.17, 1}
)

// few is the number of candidates that a halving leaves, or one a family if these are more, and many that from which on chance
// drops none. mostTrials is how often these are rehearsed. The winner is taken from lastTrials, of few participants, and from up to
// mostRaced while chance may decide.
const few, many, mostTrials, quickTrials, lastTrials, mostRaced = 8, 20, 24, 8, 64, 1024

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
		all = append(all, s.tuned(offers)...)
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
	switch {
	case err != nil:
		return nil, err
	case len(s.Participants) > manyNodes:
		return s.settled(ctx, left, mostTrials)
	}
	for len(left) > 0 { // until the best has a price and not a hope
		if err = s.raced(ctx, left); err != nil || sorted(left)[0].exact {
			break
		}
		if left, err = s.settled(ctx, left, mostTrials); err != nil {
			return nil, err
		}
	}
	return left, err
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

// weigh decides whether rows count alike or participants do, whether gossip clips each row or each participant's mean, and then which
// strict participants clip smaller than others, by the simplest family.
func (s *search) weigh(ctx context.Context) error {
	ways := []way{{}}
	if s.mostRows() > 0 {
		ways = append(ways, way{rowsAlike: true})
	}
	if s.unit() == spec.UnitParticipant {
		for _, one := range slices.Clone(ways) {
			ways = append(ways, way{rowsAlike: one.rowsAlike, meansClipped: true})
		}
	}
	best := math.Inf(-1)
	if len(ways) > 1 {
		if err := s.compared(ctx, ways, &best); err != nil {
			return err
		}
	}
	if len(s.Participants) > manyNodes {
		return nil
	}
	levels, err := s.levels(ctx, s.simplest()[0])
	if err != nil || len(levels) == 0 {
		return err
	}
	if len(ways) == 1 {
		if err := s.compared(ctx, ways, &best); err != nil {
			return err
		}
	}
	best += float64(even * math.Abs(best)) // who gives less is not counted in scores
	alike := s.way
	ways = nil
	for _, strict := range levels {
		ways = append(ways, way{alike.rowsAlike, alike.meansClipped, strict})
	}
	return s.compared(ctx, ways, &best)
}

// simplest returns the shapes of the simplest family.
func (s *search) simplest() []shape {
	return slices.DeleteFunc(s.shapesOf(lengths[2]), func(s shape) bool { return s.family != fixedGossip })
}

// compared takes the best of several ways, if it is better than best.
func (s *search) compared(ctx context.Context, ways []way, best *float64) error {
	for _, one := range ways {
		trying := search{venue: &venue{}, limits: s.limits, tell: s.tell, reasons: map[string]string{}}
		*trying.venue = *s.venue
		trying.way = one
		offers, err := trying.offers(ctx, trying.simplest(), trying.offer)
		if err != nil {
			return err
		}
		left, err := trying.halved(ctx, trying.tuned(offers), 8)
		if err != nil {
			return err
		}
		if len(left) > 0 && left[0].mean() > *best {
			*best, s.way = left[0].mean(), one
		}
	}
	return nil
}

// offers prices shapes with price. It drops those without a price and remembers why.
func (s *search) offers(ctx context.Context, shapes []shape, price func(context.Context, shape, []Limit) (*offer, error)) (all []*offer, err error) {
	found, why := make([]*offer, len(shapes)), make([]error, len(shapes))
	tell := func(done int) { s.tell("pricing plans", done, len(shapes)) }
	if len(shapes) > 0 {
		tell(0)
	}
	done := newCount(tell)
	err = sim.Each(ctx, len(shapes), runtime.GOMAXPROCS(0), func(ctx context.Context, i int) error {
		if why[i] = s.real(s.keys(tried(shapes[i])), s.privacyOf(tried(shapes[i]), shapes[i].accountant, 1)); why[i] == nil {
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
func (v *venue) tuned(offers []*offer) (all []*candidate) {
	wide := v.mostClip()
	for _, o := range offers {
		for _, step := range steps {
			for _, clip := range clips {
				all = append(all, &candidate{offer: o, clip: min(clip, wide), step: step})
			}
			if len(o.own) > 0 {
				all = append(all, &candidate{offer: o, clip: wide, step: step / max(1, wide)})
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
// are left. Of many none is dropped before the most trials while chance decides who is better, and trials go on doubling after them.
// The best of each family stays to the end.
func (s *search) halved(ctx context.Context, all []*candidate, most int) ([]*candidate, error) {
	first := 2
	if len(s.Participants) > manyNodes {
		first = 1
	}
	open := len(all) >= many && !s.quick
	for trials := first; len(all) > 0; {
		if err := s.rehearsed(ctx, all, trials); err != nil {
			return nil, err
		}
		all = sorted(all)
		chance, before := open && undecided(all), len(all)
		if before <= few || trials >= most && !chance {
			break
		}
		if !chance || trials >= most {
			all = firsts(all, max(few, (before+1)/2))
		}
		if trials >= most && len(all) == before { // each is the best of its family
			break
		}
		if trials *= 2; trials < 2*most {
			trials = min(trials, most)
		}
	}
	left := firsts(all, few)
	err := s.rehearsed(ctx, left, most)
	return sorted(left), err
}

// undecided reports whether means differ more by chance than by the plans.
func undecided(all []*candidate) bool {
	var means []float64
	chance := 0.0
	for _, c := range all {
		if mean, deviation := spread.Moments(scored(c.scores)); !math.IsInf(mean, -1) { // it diverged
			means = append(means, mean)
			chance += deviation * deviation / float64(len(scored(c.scores)))
		}
	}
	_, deviation := spread.Moments(means)
	return 2*chance > float64(len(means))*deviation*deviation
}

// raced rehearses candidates on ever more trials, until none may be clearly better than the best.
func (s *search) raced(ctx context.Context, left []*candidate) error {
	for trials := lastTrials; trials <= mostRaced; trials *= 2 {
		if err := s.rehearsed(ctx, left, trials); err != nil {
			return err
		}
		best := sorted(left)[0]
		if !slices.ContainsFunc(left[1:], func(c *candidate) bool { return mayBeat(c, best) }) {
			break
		}
	}
	return nil
}

// clearly is the part of the best score by which a plan is clearly better.
const clearly = 0.01

// mayBeat reports whether a plan may be clearly better than the best, within two standard errors.
func mayBeat(c, best *candidate) bool {
	if len(c.scores) != len(best.scores) { // it cannot be run
		return false
	}
	differences := make([]float64, len(best.scores))
	for i, x := range best.scores {
		differences[i] = c.scores[i] - x
	}
	differences = scored(differences)
	mean, deviation := spread.Moments(differences)
	return mean+float64(2*deviation/math.Sqrt(float64(len(differences)))) > float64(clearly*math.Abs(best.mean()))
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
		if c.prepared, err = v.prepare(ctx, v.keys(c), v.privacyOf(c, c.accountant, c.sigma)); err != nil {
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

// settled prices candidates that beat all exact ones by the noise that they hope for, of many participants one shape after the
// other, and rehearses them again. It drops those without a price.
func (s *search) settled(ctx context.Context, all []*candidate, most int) ([]*candidate, error) {
	for {
		shapes := hopeful(sorted(all))
		if len(s.Participants) > manyNodes {
			shapes = shapes[:min(1, len(shapes))]
		}
		exact, err := s.offers(ctx, shapes, s.priceOf)
		if err != nil {
			return nil, err
		}
		var kept []*candidate
		for _, c := range all {
			if !c.exact && slices.ContainsFunc(shapes, c.equal) {
				at := slices.IndexFunc(exact, func(o *offer) bool { return c.equal(o.shape) })
				if at < 0 {
					continue
				}
				c = &candidate{offer: exact[at], clip: c.clip, step: c.step}
			}
			kept = append(kept, c)
		}
		if err := s.rehearsed(ctx, kept, most); err != nil {
			return nil, err
		}
		if all = sorted(kept); len(shapes) == 0 {
			return all, nil
		}
	}
}

// hopeful returns the shapes of sorted candidates that beat all exact ones.
func hopeful(all []*candidate) (shapes []shape) {
	for _, c := range all {
		if c.exact {
			break
		}
		if !slices.ContainsFunc(shapes, c.equal) {
			shapes = append(shapes, c.shape)
		}
	}
	return shapes
}

// equal reports whether two shapes are the same.
func (o shape) equal(as shape) bool { return o.same(as) && o.rounds == as.rounds }

// same reports whether two shapes differ in the number of rounds alone.
func (o shape) same(as shape) bool { return o.family == as.family && o.detail == as.detail }

// near is the part of the best score up to which the best of another family is refined, too: coarse values may hide that it is better.
const near, mostPromising = 0.1, 4

// promising returns the candidates that are refined: the best two, and the best of each other family that is near.
func promising(left []*candidate) (chosen []*candidate) {
	families, least := map[string]bool{}, left[0].mean()-float64(near*math.Abs(left[0].mean()))
	for k, c := range left {
		if len(chosen) < mostPromising && (k < 2 || !families[c.family] && c.mean() >= least) {
			chosen = append(chosen, c)
		}
		families[c.family] = true
	}
	return chosen
}

// refined tries neighbours of promising candidates: other lengths, clips, steps and turns of averaging. It returns the best of all.
func (s *search) refined(ctx context.Context, left []*candidate) ([]*candidate, error) {
	var more []*candidate
	price, many := s.priceOf, len(s.Participants) > manyNodes
	if many {
		price = s.offer
	}
	for k, c := range promising(left) {
		add := func(o *offer, clip, step float64) {
			one := &candidate{offer: o, clip: min(clip, s.mostClip()), step: min(1, step)}
			if !slices.ContainsFunc(left, one.equals) && !slices.ContainsFunc(more, one.equals) {
				more = append(more, one)
			}
		}
		tried := func(shapes []shape, clip, step float64) error {
			offers, err := s.offers(ctx, shapes, price)
			for _, o := range offers {
				add(o, clip, step)
			}
			return err
		}
		cheap := c.hope == 0 || k == 0 || many // to price
		for _, factor := range []float64{0.55, 1.8} {
			clip, step := float64(c.clip*factor), float64(c.step*factor)
			add(c.offer, clip, c.step)
			add(c.offer, c.clip, step)
			add(c.offer, clip, c.step/factor)
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
	better, err := s.halved(ctx, more, mostTrials)
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
