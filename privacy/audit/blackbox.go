package audit

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A BlackBox holds the lower bounds that an attacker proved by running an algorithm many times in
// two worlds, which differ in the data of one node. A claim about the algorithm that promises a
// smaller loss is false, at the given confidence.
type BlackBox struct {
	privacy.Claim
	Loss       float64 // lower bound of the loss, in the metric; 0 if nothing was proved
	Mu         float64 // lower bound of the shift over noise of a Gaussian view that is as easy to tell apart
	Confidence float64 // the probability that both bounds hold
	Runs       int     // in each world
	Test       ThresholdTest
}

// A ThresholdTest tells two worlds apart by comparing one score with a threshold. It finds a share
// of at least Power of the runs of the world that it looks for, and mistakes a share of at most
// Size of the other world's runs for these.
type ThresholdTest struct {
	At    float64 // the threshold: scores of at least At count as found
	Below bool    // scores below At count as found instead
	Other bool    // it looks for the second world, not the first
	Power float64
	Size  float64
}

// fewestRuns is the smallest number of runs of a world that can be split in two halves.
const fewestRuns = 4

// Scores bounds the loss between two worlds from below. first and second hold one score a run of
// each world. Scores must be independent, and computed only from what the attacker saw. Both bounds
// hold with probability at least 1-failure over the runs.
//
// On the first half of the runs Scores chooses three tests: one for the loss in each direction,
// since an (eps, delta) claim covers both, and one for the shift. On the second half it measures
// their power and size by exact binomial intervals (Clopper and Pearson 1934), six of failure/6
// each. At a delta a test proves eps >= ln((power - delta)/size). At a Renyi order it proves the
// divergence of its two answers, which cannot exceed that of the views.
func Scores(first, second []float64, m privacy.Metric, failure float64) (*BlackBox, error) {
	if err := checkScores(first, second, m, failure); err != nil {
		return nil, err
	}
	f, s := len(first)/2, len(second)/2
	b := prove([2][]float64{first[:f], second[:s]}, [2][]float64{first[f:], second[s:]}, m, failure)
	b.Runs = min(len(first), len(second))
	return b, nil
}

// ScoresOn does as Scores for runs that are already split: it chooses tests on the runs in choosing
// and measures them on those in measuring. Index 0 holds the scores of the first world, index 1
// those of the second.
func ScoresOn(choosing, measuring [2][]float64, m privacy.Metric, failure float64) (*BlackBox, error) {
	for _, runs := range [][2][]float64{choosing, measuring} {
		if err := checkScores(runs[0], runs[1], m, failure); err != nil {
			return nil, err
		}
	}
	b := prove(choosing, measuring, m, failure)
	b.Runs = min(len(measuring[0]), len(measuring[1]))
	return b, nil
}

func prove(choose, measure [2][]float64, m privacy.Metric, failure float64) *BlackBox {
	choosing := newScored(choose[0], choose[1], failure/6)
	measuring := newScored(measure[0], measure[1], failure/6)
	b := &BlackBox{Claim: blackBoxClaim(len(choose[0]), len(choose[1]), failure), Confidence: 1 - failure}
	proves := func(power, size float64) float64 { return binaryLoss(m, power, size) }
	for _, other := range []bool{false, true} {
		test := measuring.measure(choosing.best(proves, other))
		if loss := proves(test.Power, test.Size); loss > b.Loss || !other {
			b.Loss, b.Test = loss, test
		}
	}
	forward, back := choosing.best(shift, false), choosing.best(shift, true)
	if shift(back.Power, back.Size) > shift(forward.Power, forward.Size) {
		forward = back
	}
	test := measuring.measure(forward)
	b.Mu = shift(test.Power, test.Size)
	return b
}

// Check returns the error with which Scores refuses an audit whatever the scores are, so that a
// caller can refuse it before anything runs.
func Check(runs int, m privacy.Metric, failure float64) error {
	if err := m.Check(); err != nil {
		return err
	}
	if !(failure > 0 && failure < 1) {
		return fault.New(fmt.Sprintf("confidence %g is not between 0 and 1", 1-failure), "give a confidence such as 0.99")
	}
	if runs < fewestRuns {
		return fault.New(fmt.Sprintf("%d runs cannot be audited", runs),
			fmt.Sprintf("give at least %d runs of each world; a thousand say something", fewestRuns))
	}
	return nil
}

func checkScores(first, second []float64, m privacy.Metric, failure float64) error {
	if err := Check(min(len(first), len(second)), m, failure); err != nil {
		return err
	}
	if slices.ContainsFunc(first, math.IsNaN) || slices.ContainsFunc(second, math.IsNaN) {
		return fault.New("the score of a run is not a number", "give every run a score; an infinite one will do")
	}
	return nil
}

func blackBoxClaim(chosen, otherwise int, failure float64) privacy.Claim {
	return privacy.Claim{Accountant: "black box", Status: privacy.Audit, Assumptions: []string{
		"runs are independent, and their two worlds differ in the data of one node only",
		fmt.Sprintf("tests were chosen on %d and %d runs and measured on the others; the bounds are false with probability at most %.6g", chosen, otherwise, failure),
	}}
}

// binaryLoss returns the loss in metric m that a test proves whose power is at least p and whose
// size is at most q in (0, 1].
func binaryLoss(m privacy.Metric, p, q float64) float64 {
	switch {
	case m.Order == 0 && p > m.Delta:
		return max(0, math.Log((p-m.Delta)/q))
	case m.Order == 0 || p <= q:
		return 0
	}
	hit := float64(m.Order*math.Log(p)) + float64((1-m.Order)*math.Log(q))
	miss := float64(m.Order*math.Log1p(-p)) + float64((1-m.Order)*math.Log1p(-q))
	return max(0, max(hit, miss)+math.Log1p(math.Exp(-math.Abs(hit-miss)))) / (m.Order - 1)
}

// shift returns the smallest shift over noise of a Gaussian view for which a test of power p and
// size q in (0, 1] exists (Dong, Roth and Su 2022, equation 6).
func shift(p, q float64) float64 {
	if p <= q {
		return 0
	}
	return math.NormalQuantile(p) - math.NormalQuantile(q)
}

// scored holds the sorted scores of two worlds, and the failure probability of one interval.
type scored struct {
	first, second []float64
	failure       float64
	least         map[tally]float64 // cache of lower bounds
}

// A tally counts the successes of n trials.
type tally struct{ count, n int }

func newScored(first, second []float64, failure float64) scored {
	s := scored{slices.Clone(first), slices.Clone(second), failure, make(map[tally]float64)}
	slices.Sort(s.first)
	slices.Sort(s.second)
	return s
}

// best returns the threshold test that proves the most on these scores. other selects the second
// world as the one to find.
func (s scored) best(proves func(p, q float64) float64, other bool) ThresholdTest {
	best, most := ThresholdTest{At: math.Inf(1), Other: other, Size: 1}, 0.0
	for _, at := range s.thresholds() {
		for _, below := range []bool{false, true} {
			test := s.measure(ThresholdTest{At: at, Below: below, Other: other})
			if proved := proves(test.Power, test.Size); proved > most {
				best, most = test, proved
			}
		}
	}
	return best
}

// rankGrowth is the ratio of the distances of neighbouring thresholds from their end. Thresholds
// are dense in the tails because a test of a small delta or a large eps needs thresholds there.
const rankGrowth = 1.15

// thresholds returns scores to choose a threshold from, at ranks that grow geometrically from both
// ends.
func (s scored) thresholds() []float64 {
	all := slices.Concat(s.first, s.second)
	slices.Sort(all)
	last := len(all) - 1
	var at []float64
	for rank := 0; 2*rank <= last; rank = max(rank+1, int(float64(rank)*rankGrowth)) {
		at = append(at, all[rank], all[last-rank])
	}
	return at
}

// measure returns t with the bounds of its power and size on these scores.
func (s scored) measure(t ThresholdTest) ThresholdTest {
	sought, rest := s.first, s.second
	if t.Other {
		sought, rest = rest, sought
	}
	t.Power = s.low(tally{t.found(sought), len(sought)})
	t.Size = 1 - s.low(tally{len(rest) - t.found(rest), len(rest)})
	return t
}

// low returns the lower bound of proportion. The upper bound is 1 less the lower bound of the
// failed trials.
func (s scored) low(t tally) float64 {
	low, known := s.least[t]
	if !known {
		low, _ = proportion(t.count, t.n, s.failure)
		s.least[t] = low
	}
	return low
}

// found counts the sorted scores that t counts as found.
func (t ThresholdTest) found(sorted []float64) int {
	below, _ := slices.BinarySearch(sorted, t.At)
	if t.Below {
		return below
	}
	return len(sorted) - below
}

// proportion bounds a probability from both sides when count of n trials succeeded. Each bound is
// wrong with probability at most failure.
func proportion(count, n int, failure float64) (low, high float64) {
	k, rest := float64(count), float64(n-count)
	low, high = 0, 1
	if count > 0 {
		low = betaQuantile(k, rest+1, failure)
	}
	if count < n {
		high = 1 - betaQuantile(rest, k+1, failure)
	}
	return low, high
}

// betaQuantile returns the x below which a Beta(a, b) variable lies with probability p. It bisects
// because gonum's own quantile is wrong for some small p.
func betaQuantile(a, b, p float64) float64 {
	low, high := 0.0, 1.0
	for range 64 {
		mid := (low + high) / 2
		if math.BetaBelow(a, b, mid) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
