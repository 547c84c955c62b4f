package design

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// paid holds the noise of a shape, and the limit that asks for it.
type paid struct {
	sigma   float64
	binding Limit
	own     map[int]float64 // of participants who clip smaller than others: their clip over that of all; nil: all clip alike
}

// ownClips returns the key privacy.limits for a clip. Noise hides no more than mostClip, so own clips are shares of that where it is less.
func (v *venue) ownClips(p paid, clip float64) keysOf {
	all := keysOf{}
	for u, share := range p.own {
		all[v.Participants[u].Name] = keysOf{"clip": digits.Down(float64(share*min(clip, v.mostClip())), 6)}
	}
	return all
}

// mostClip returns the largest norm of a gradient of the model, above which clips do nothing, or 4 if there is none.
func (v *venue) mostClip() float64 {
	if most := v.bases[false].Guarantees.Lipschitz(); !math.IsInf(most, 1) {
		return most
	}
	return 4
}

// pay returns the least noise with which at most a part of every limit is spent. In shapes whose nodes may have clips of their own,
// strict participants ask for none: a smaller clip keeps their limits, because it lowers their losses as more noise would.
func (v *venue) pay(s shape, all []*bound, part float64) (p paid, err error) {
	of := func(strict func(u int) bool) []*bound {
		return slices.DeleteFunc(slices.Clone(all), func(b *bound) bool { return !strict(b.About) })
	}
	rest := []*bound{}
	if s.clips {
		rest = of(func(u int) bool { return !slices.Contains(v.way.strict, u) })
	}
	if len(rest) == 0 { // nobody else limits anything
		rest = all
	}
	if p.sigma, p.binding, err = least(rest, part); err != nil || len(rest) == len(all) {
		return p, err
	}
	p.own = map[int]float64{}
	for _, u := range v.way.strict {
		alone, _, err := least(of(func(w int) bool { return w == u }), part)
		if err != nil {
			return p, err
		}
		if alone > p.sigma {
			p.own[u] = digits.Down(p.sigma/alone, 6)
		}
	}
	return p, nil
}

// clipped returns a shape in which strict participants clip smaller than others.
func (v *venue) clipped(s shape) shape {
	if len(v.way.strict) == 0 {
		return s
	}
	s = s.with("smaller clips of "+v.strictNames(), nil)
	s.clips = true
	return s
}

// strictNames names the strict participants.
func (v *venue) strictNames() string {
	var names []string
	for _, u := range v.way.strict {
		names = append(names, v.Participants[u].Name)
	}
	return strings.Join(names, ", ")
}

// mostLevels is the number of sets of strict participants that are tried, and gap the least ratio of noise between both sides of one.
const mostLevels, gap = 4, 1.1

// levels returns sets of strict participants: those who ask for most noise of a shape, up to where the next asks for clearly less.
func (s *search) levels(ctx context.Context, of shape) (all [][]int, err error) {
	p, err := s.prepare(ctx, s.keys(tried(of)), s.privacyOf(tried(of), of.accountant, 1))
	if err != nil {
		return nil, err
	}
	q, err := s.priced(p)
	if err != nil {
		return nil, err
	}
	bounds, err := q.bounds(ctx, s.limits)
	if err != nil {
		return nil, err
	}
	type asks struct {
		who   int
		sigma float64
	}
	var most []asks
	for u := range s.Participants {
		own := slices.DeleteFunc(slices.Clone(bounds), func(b *bound) bool { return b.About != u })
		if len(own) == 0 {
			continue
		}
		sigma, _, err := least(own, 1)
		if err != nil {
			return nil, err
		}
		most = append(most, asks{u, sigma})
	}
	slices.SortStableFunc(most, func(a, b asks) int { return cmp.Compare(b.sigma, a.sigma) })
	type level struct {
		at    int
		ratio float64
	}
	var found []level
	for i := 1; i < len(most); i++ {
		if ratio := most[i-1].sigma / most[i].sigma; ratio > gap {
			found = append(found, level{i, ratio})
		}
	}
	slices.SortStableFunc(found, func(a, b level) int { return cmp.Compare(b.ratio, a.ratio) })
	for _, l := range found[:min(len(found), mostLevels)] {
		var strict []int
		for _, one := range most[:l.at] {
			strict = append(strict, one.who)
		}
		all = append(all, slices.Sorted(slices.Values(strict)))
	}
	return all, nil
}
