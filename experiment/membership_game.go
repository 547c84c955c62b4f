package experiment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/attack/membership"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A game is an attack under way: its two worlds and the attackers.
type game struct {
	question MembershipQuestion
	worlds   [2]family.Algorithm
	target   int
	report   func(done, total int)
	say      func(string)
	began    time.Time
	count    counter
}

// scored holds the scores of runs on which tests are chosen, and of those on which they are measured.
type scored struct{ choosing, measuring [2][]float64 }

// The parts of an attack. Runs of different parts have nothing in common.
const (
	aiming    = iota + 1 // finding the directions in which worlds differ
	fitting              // a statistic to runs of both worlds that share their noise
	choosing             // a test and other choices
	measuring            // the loss that the test proves
)

// aims is the number of pairs of runs that find directions.
const aims = 16

// mostNumbers limits the numbers that are kept of shadow runs to 400 MB.
const mostNumbers = 5e7

// seed returns the seed of one run. In the parts that fit, both worlds share it.
func (g *game) seed(part, world, i int) uint64 {
	if part == aiming || part == fitting {
		world = 0
	}
	var stream step.Stream
	return stream.At(g.question.Seed, step.NodeID(2*part+world), step.Turn(i)+1, 0, step.Audit).Uint64()
}

// An ear listens to one run for all attackers and returns the view of each.
type ear[A any] func(ctx context.Context, a family.Algorithm, seed uint64) ([]A, error)

// heard returns the views of runs of a part by world, run and attacker. It runs as many at a time as there are workers. With an
// error some are missing.
func heard[A any](ctx context.Context, g *game, part, runs int, listen ear[A]) (all [2][][]A, err error) {
	all[0], all[1] = make([][]A, runs), make([][]A, runs)
	err = sim.Each(ctx, 2*runs, g.question.Workers, func(ctx context.Context, i int) (err error) {
		world := i % 2
		all[world][i/2], err = listen(ctx, g.worlds[world], g.seed(part, world, i/2))
		g.count.add()
		return err
	})
	return all, err
}

// play attacks by messages that nodes see, by tokens that nodes hold, and by the final model.
func (g *game) play(ctx context.Context) (all []scored, places []int, err error) {
	sets := g.question.Attackers
	all, places = make([]scored, len(sets)), make([]int, len(sets))
	var nodes, models []int
	for k, set := range sets {
		if len(set) == 0 {
			models = append(models, k)
		} else {
			nodes = append(nodes, k)
		}
	}
	each := 2 * (aims + g.question.Shadows + g.question.Runs)
	g.count = counter{report: g.report, total: each * (min(1, len(nodes)) + min(1, len(models)))}
	keep := func(which []int, found []scored, looked []int) {
		for i, k := range which {
			all[k], places[k] = found[i], looked[i]
		}
	}
	if len(nodes) > 0 {
		own := make([][]int, len(nodes))
		for i, k := range nodes {
			own[i] = sets[k]
		}
		attack := g.tokens
		if _, ok := g.worlds[0].(family.Overheard); ok {
			attack = g.messages
		}
		found, looked, err := attack(ctx, own)
		if err != nil {
			return nil, nil, err
		}
		keep(nodes, found, looked)
	}
	if len(models) > 0 {
		found, looked, err := g.vectors(ctx, 1, lastModel)
		if err != nil {
			return nil, nil, err
		}
		for _, k := range models {
			keep([]int{k}, found, looked)
		}
	}
	return all, places, nil
}

// lastModel passes to hear only the final model of a run, a place for every number of it.
func lastModel(ctx context.Context, a family.Algorithm, seed uint64, hear func(set, place int, x []float64)) error {
	last, err := a.Trial(ctx, seed, func(int, []float64, float64) {})
	if err != nil {
		return err // an interrupted run has no last model
	}
	if len(last) > mostCoordinates {
		hear(0, 0, last)
		return nil
	}
	for i := range last {
		hear(0, i, last[i:i+1])
	}
	return nil
}

// mostCoordinates is the largest final model whose numbers are looked at one by one.
const mostCoordinates = 128

// messages attacks by the messages that nodes receive.
func (g *game) messages(ctx context.Context, sets [][]int) ([]scored, []int, error) {
	return g.vectors(ctx, len(sets), func(ctx context.Context, a family.Algorithm, seed uint64, hear func(set, place int, x []float64)) error {
		return a.(family.Overheard).Overhear(ctx, seed, sets, hear)
	})
}

// A listener hears a run as vectors that have the same places in every run.
type listener func(ctx context.Context, a family.Algorithm, seed uint64, hear func(set, place int, x []float64)) error

// vectors attacks by sums over places of the component along the direction in which worlds differ there.
func (g *game) vectors(ctx context.Context, sets int, listen listener) ([]scored, []int, error) {
	aim, err := g.aim(ctx, sets, listen)
	if err != nil {
		return nil, nil, err
	}
	places := make([]int, sets)
	for k := range aim {
		places[k] = len(aim[k].kept)
	}
	view := func(ctx context.Context, a family.Algorithm, seed uint64) ([][]float64, error) {
		seen := make([][]float64, sets)
		for k := range seen {
			seen[k] = make([]float64, places[k])
		}
		err := listen(ctx, a, seed, func(set, place int, x []float64) {
			if at := aim[set].at[place]; at >= 0 {
				seen[set][at] = sparse.Dot(aim[set].direction[place], x)
			}
		})
		return seen, err
	}
	half := g.question.Shadows / 2
	fits, err := heard(ctx, g, fitting, half, view)
	if err != nil {
		return nil, nil, err
	}
	held, err := heard(ctx, g, choosing, g.question.Shadows-half, view)
	if err != nil {
		return nil, nil, err
	}
	statistics, laws, all := make([]membership.Linear, sets), make([]membership.Normals, sets), make([]scored, sets)
	for k := range sets {
		statistics[k] = membership.FitLinear(of(fits, k), of(held, k))
		var sums [2][]float64
		for w, runs := range of(held, k) {
			for _, x := range runs {
				sums[w] = append(sums[w], statistics[k].Score(x))
			}
		}
		laws[k] = membership.FitNormals(sums)
		for w := range sums {
			for _, x := range sums[w] {
				all[k].choosing[w] = append(all[k].choosing[w], laws[k].Ratio(x))
			}
		}
	}
	scores, err := heard(ctx, g, measuring, g.question.Runs, func(ctx context.Context, a family.Algorithm, seed uint64) ([]float64, error) {
		seen, err := view(ctx, a, seed)
		if err != nil {
			return nil, err
		}
		scores := make([]float64, sets)
		for k := range scores {
			scores[k] = laws[k].Ratio(statistics[k].Score(seen[k]))
		}
		return scores, nil
	})
	if err != nil {
		return nil, nil, err
	}
	for k := range all {
		all[k].measuring = of(scores, k)
	}
	return all, places, nil
}

// of returns the runs of one attacker.
func of[A any](runs [2][][]A, k int) (one [2][]A) {
	for w := range runs {
		for _, run := range runs[w] {
			one[w] = append(one[w], run[k])
		}
	}
	return one
}

// A sight holds the places at which one attacker looks, with a unit vector for each. The attacker sees the components along these.
type sight struct {
	direction [][]float64 // by place
	at        []int       // of every place among those that are kept, -1 elsewhere
	kept      []int
}

// aim finds the directions by runs of both worlds that share their noise, and says how long the attack is going to take.
func (g *game) aim(ctx context.Context, sets int, listen listener) ([]sight, error) {
	sum := make([][][]float64, sets) // by set and place: of differences between the worlds
	for i := range aims {
		for world, sign := range []float64{1, -1} {
			err := listen(ctx, g.worlds[world], g.seed(aiming, world, i), func(set, place int, x []float64) {
				if place == len(sum[set]) {
					sum[set] = append(sum[set], make([]float64, len(x)))
				}
				sparse.Axpy(sum[set][place], sign/aims, x)
			})
			if err != nil {
				return nil, err
			}
			if i == 0 && world == 0 {
				if err := g.fits(sum); err != nil {
					return nil, err
				}
			}
			g.count.add()
		}
	}
	g.foretell()
	out := make([]sight, sets)
	for k := range out {
		out[k] = newSight(sum[k], int(mostNumbers)/max(1, 2*sets*g.question.Shadows))
	}
	return out, nil
}

// mostSeen limits the numbers that attackers may see of one run to 1.6 GB.
const mostSeen = 2e8

// fits refuses views too large to be kept.
func (g *game) fits(seen [][][]float64) error {
	total := 0.0
	for _, set := range seen {
		for _, x := range set {
			total += float64(len(x))
		}
	}
	if total <= mostSeen {
		return nil
	}
	return fault.New(fmt.Sprintf("attackers would see %.2g numbers in every run, more than %.2g", total, mostSeen), "name fewer attackers, or take fewer steps")
}

// newSight turns differences into directions. Places without a difference look along the sum of all, because they may
// show noise of other places. If there are too many places, the farthest apart are kept.
func newSight(differences [][]float64, most int) (s sight) {
	var whole []float64
	for _, x := range differences {
		if len(x) > len(whole) {
			whole = make([]float64, len(x))
		}
	}
	for _, x := range differences {
		if len(x) == len(whole) {
			sparse.Axpy(whole, sign(sparse.Dot(x, whole)), x)
		}
	}
	most = max(1, most)
	least := threshold(differences, most)
	unit(whole)
	for place, x := range differences {
		length, at := sparse.Norm(x), -1
		if length >= least && len(s.kept) < most {
			at = len(s.kept)
			s.kept = append(s.kept, place)
		}
		s.at = append(s.at, at)
		switch {
		case length > 0:
			unit(x)
		case len(x) == len(whole):
			x = whole
		}
		s.direction = append(s.direction, x)
	}
	return s
}

func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}

// unit scales x to length 1, or leaves it where it has none.
func unit(x []float64) {
	if norm := sparse.Norm(x); norm > 0 {
		for i := range x {
			x[i] /= norm
		}
	}
}

// foretell says how long the attack is going to take, by the time of its first runs.
func (g *game) foretell() {
	if g.say == nil {
		return
	}
	each := time.Since(g.began).Seconds() / float64(max(1, g.count.done))
	left := float64(g.count.total - g.count.done)
	g.say(fmt.Sprintf("attacking: %.0f runs of %s, about %s on %d cores", left, rounded(each), rounded(left*each/float64(max(1, g.question.Workers))), g.question.Workers))
}

// rounded returns a time to two digits.
func rounded(seconds float64) time.Duration {
	d := time.Duration(seconds * float64(time.Second))
	digits := math.Pow(10, math.Floor(math.Log10(max(1, float64(d))))-1)
	return d.Round(time.Duration(max(1, digits)))
}

// threshold returns the length of the most-th longest difference. It returns 0 if there are no more than most.
func threshold(differences [][]float64, most int) float64 {
	if len(differences) <= most {
		return 0
	}
	lengths := make([]float64, len(differences))
	for i, x := range differences {
		lengths[i] = -sparse.Norm(x)
	}
	slices.Sort(lengths)
	return -lengths[most-1]
}
