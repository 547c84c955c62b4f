package design

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

var (
	gridSets = flag.Int("grid", 0, "compare so many random sets of wishes with an exhaustive grid; each takes about half a minute of a processor")
	gridFrom = flag.Int("grid.from", 0, "the number of the first of these sets")
)

// The grid has the axes of the search, in finer steps.
var (
	gridLengths = []int{1, 3, 8, 20, 50, 100}
	gridClips   = []float64{0.1, 0.3, 1, 3}
	gridSteps   = []float64{0.01, 0.05, 0.2, 1}
	gridAxes    = axes{turns: []int{1, 2, 4, 8}, partners: []int{2, 3, 4, 5, 6}, tokens: []int{2, 4, 8}}
)

// wished returns random wishes of four to eight participants whose policies leave something to learn.
func wished(rng *rand.Rand) string {
	n := 4 + rng.IntN(5)
	var b strings.Builder
	eps := func() float64 { return float64(4+rng.IntN(28)) / 4 }
	fmt.Fprintf(&b, "seed: %d\nsecrets: %s\nparticipants:\n", 1+rng.IntN(99), pick(rng, "none", "edges", "anybody", "anybody"))
	unit := pick(rng, "record", "record", "record", "participant")
	for u := range n {
		fmt.Fprintf(&b, "  - {name: p%d, policy: {unit: %s, each: %g", u, unit, eps())
		if rng.IntN(2) == 0 {
			fmt.Fprintf(&b, ", coalitions: [{size: 2, epsilon: %g}]", eps())
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&b, ", named: {p%d: %g}", (u+1)%n, eps())
		}
		b.WriteString("}}\n")
	}
	fmt.Fprintf(&b, "edges: %s\n", pick(rng, "complete", fmt.Sprintf("ring:%d", n), fmt.Sprintf("star:%d", n), fmt.Sprintf("er:n=%d,p=0.7,connected=true", n)))
	if rng.IntN(3) == 0 {
		fmt.Fprintf(&b, "limits: {messages: %d}\n", n*(4+rng.IntN(40)))
	}
	if rng.IntN(4) == 0 {
		fmt.Fprintf(&b, "data: {source: sparse-regression, features: %d, rows: %d, support: 2}\nmodel: {kind: ridge}\n", 3+rng.IntN(4), 20+rng.IntN(40))
	} else {
		fmt.Fprintf(&b, "data: {source: two-gaussians, features: %d, rows: %d, variance: %d, normalise: unit}\n", 2+rng.IntN(4), 30+rng.IntN(50), 1+rng.IntN(4))
	}
	return b.String()
}

// exhausted returns the best plans of the grid: all of it in 4 trials, the best quarter in 16, the best quarter of these in 64.
func (s *search) exhausted(ctx context.Context) (all []*candidate, err error) {
	s.axes = gridAxes
	for _, rounds := range gridLengths {
		offers, err := s.offers(ctx, s.shapesOf(rounds), s.offer)
		if err != nil {
			return nil, err
		}
		for _, o := range offers {
			for _, clip := range gridClips {
				for _, step := range gridSteps {
					all = append(all, &candidate{offer: o, clip: clip, step: step})
				}
			}
		}
	}
	for _, trials := range []int{4, 16, 64} {
		if err := s.rehearsed(ctx, all, trials); err != nil {
			return nil, err
		}
		if trials > 4 {
			if all, err = s.settled(ctx, all, trials); err != nil {
				return nil, err
			}
		}
		all = sorted(all)
		all = all[:max(min(len(all), 8), len(all)/4)]
	}
	return s.paidFor(ctx, all[:min(len(all), 8)])
}

// paidFor prices candidates that hope for less noise than public messages ask for.
func (s *search) paidFor(ctx context.Context, all []*candidate) (paid []*candidate, err error) {
	for _, c := range all {
		if !c.exact {
			o, err := s.priceOf(ctx, c.shape, s.limits)
			if err != nil {
				return nil, err
			}
			c = &candidate{offer: o, clip: c.clip, step: c.step}
			if err := s.rehearse(ctx, c, 1); err != nil {
				return nil, err
			}
		}
		paid = append(paid, c)
	}
	return paid, nil
}

// fresh returns the scores of a plan in other trials than it was chosen by.
func (s *search) fresh(ctx context.Context, c *candidate, from, to int) (scores []float64, err error) {
	for i := from; i < to && err == nil; i++ {
		var x float64
		x, err = trial(ctx, c.prepared, c.sigma, i)
		scores = append(scores, x)
	}
	return scores, err
}

// holdsLimits holds that a plan, with its clips, keeps all limits.
func (s *search) holdsLimits(t *testing.T, c *candidate) {
	t.Helper()
	q, err := s.priced(c.prepared)
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := q.bounds(t.Context(), s.limits)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bounds {
		if loss, err := b.loss(c.sigma); err != nil || loss > b.Epsilon {
			t.Errorf("%s %s with clip %g: %s: %g (%v)", c.family, c.detail, c.clip, s.say(b.Limit), loss, err)
		}
	}
}

// The winner is within 2 % of the best of an exhaustive grid, on random wishes. Both are scored in trials that neither was chosen by.
func TestWinnerIsNearTheGrid(t *testing.T) {
	if *gridSets == 0 {
		t.Skip("SKIPPED: go test ./design -run Grid -grid 10 -v -timeout 3h compares with an exhaustive grid")
	}
	testdata.Sequential(t)
	var gaps []float64
	for i := *gridFrom; i < *gridFrom+*gridSets; i++ {
		text := wished(rand.New(rand.NewPCG(uint64(i), 159)))
		w, err := Parse([]byte(text), "wishes")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		v, err := newVenue(t.Context(), w, true)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s := &search{venue: v, limits: w.limits(), tell: func(string, int, int) {}, reasons: map[string]string{}}
		left, err := s.run(t.Context())
		if err != nil || len(left) == 0 {
			t.Fatalf("%d plans, %v\n%s", len(left), err, text)
		}
		won := swiftest(left)[0]
		grid, err := s.exhausted(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		best, most := grid[0], math.Inf(-1)
		for _, c := range grid {
			scores, err := s.fresh(t.Context(), c, 1000, 1200)
			if err != nil {
				t.Fatal(err)
			}
			if mean, _ := spread.Moments(scores); mean > most {
				best, most = c, mean
			}
		}
		s.holdsLimits(t, won)
		s.holdsLimits(t, best)
		mine, err := s.fresh(t.Context(), won, 2000, 4000)
		if err != nil {
			t.Fatal(err)
		}
		its, err := s.fresh(t.Context(), best, 2000, 4000)
		if err != nil {
			t.Fatal(err)
		}
		differences := make([]float64, len(mine))
		for k := range mine {
			differences[k] = its[k] - mine[k]
		}
		top, _ := spread.Moments(its)
		gap, deviation := spread.Moments(differences)
		gap, deviation = gap/math.Abs(top), deviation/math.Abs(top)
		gaps = append(gaps, gap)
		t.Logf("%2d: best %.4f, gap %.2f %% (+- %.2f); won %s, %d rounds, clip %.3g, step %.3g, noise %.3g; grid %s, %d rounds, clip %.3g, step %.3g, noise %.3g; %d nodes", i, top, 100*gap, 100*spread.Reach(deviation, len(mine)),
			won.family+", "+won.detail, won.rounds, won.clip, won.step, won.sigma, best.family+", "+best.detail, best.rounds, best.clip, best.step, best.sigma, len(w.Participants))
	}
	slices.Sort(gaps)
	if worst := gaps[len(gaps)-1]; worst > 0.02 {
		t.Errorf("the worst gap is %.2f %%, the median %.2f %%", 100*worst, 100*gaps[len(gaps)/2])
	}
}
