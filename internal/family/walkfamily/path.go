package walkfamily

import (
	"fmt"
	"runtime"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// pathPairs is the approximate number of pairs whose laws the path accountant computes on a graph where all laws differ.
// classesLimit is the largest number without sampling. symmetricLimit is the same for a graph with known symmetries.
const (
	pathPairs      = 20
	classesLimit   = 132
	symmetricLimit = 512
)

// Schedule implements family.Algorithm.
func (a *Algorithm) Schedule() schedule.Schedule { return a.schedule() }

// schedule returns the releases of a run. For the baselines it is that of a graph where every node follows every other.
func (a *Algorithm) schedule() schedule.Walk {
	var matrix *sparse.Matrix
	if a.Transition != nil {
		matrix = a.Transition.Sparse()
	}
	w := a.Protocol.Schedule(matrix, a.Guarantees)
	w.Start, w.Starts = schedule.AnyStart, nil
	if at := a.Spec.Algorithm.Start; at.Each == nil && !at.Uniform {
		w.Start = at.Node
	}
	for _, at := range a.Spec.Algorithm.Start.Each {
		if at.Uniform {
			at.Node = schedule.AnyStart
		}
		w.Starts = append(w.Starts, at.Node)
	}
	w.Besides = a.Besides
	w.Reroutes = w.Reroutes || a.Spec.FollowsFailures()
	return w
}

// PathWalk returns the schedule as the path accountant takes it.
//
// A cap per edge only removes contributions. Without the cap of a node its contributions are among those of all its turns. A
// bound for these therefore holds with both caps.
func (a *Algorithm) PathWalk() walkpath.Walk {
	w := a.schedule()
	if w.EdgeCap > 0 {
		w.EdgeCap, w.Cap = 0, 0
	}
	return walkpath.Walk{Walk: w, Watch: a.Watch}
}

// pathAccount returns the account of the sound accountant of the walk. On a graph with symmetries it uses the law of every
// class of pairs, on a small graph the law of every pair. Elsewhere it uses moments of every pair, or the laws of a sample
// where moments do not cover the walk.
func (a *Algorithm) pathAccount(m privacy.Metric, sigma *float64) (family.Account, float64, error) {
	if a.byMoments() {
		return a.momentsPath(m, sigma)
	}
	class, strata, err := a.pathClasses()
	if err != nil {
		return family.Account{}, 0, err
	}
	laws, err := a.PathWalk().Laws(class, runtime.GOMAXPROCS(0))
	if err != nil {
		return family.Account{}, 0, err
	}
	if strata != nil {
		return a.sampledPath(laws.Estimate(strata.of, strata.size), m, sigma)
	}
	losses, low, err := pathLosses(a, laws, m, sigma)
	if err != nil {
		return family.Account{}, 0, err
	}
	account := family.Account{Accounted: family.Accounted("path", losses.Mean(), losses.Max(), losses.Claim), At: losses.At, Law: laws.Law, In: in(laws), Low: low}
	account.Guess = laws.Guess(losses.Sigma, max(m.Delta, family.UsualDelta))
	return account, losses.Sigma, nil
}

// byMoments reports whether pairs are charged by moments rather than by laws.
func (a *Algorithm) byMoments() bool {
	return !a.fewLaws() && a.Graph.Len() <= family.PairLimit && a.PathWalk().CanMoments() == ""
}

// Table returns the loss of every pair at sigma as tables show it, if that differs from the loss by each pair's law. It returns a
// nil function if the laws of few pairs cover all, or if some pair is not priced.
func (a *Algorithm) Table(m privacy.Metric, sigma float64) (at func(u, v int) float64, claim privacy.Claim, err error) {
	if !a.byMoments() {
		return nil, claim, nil
	}
	losses, _, _, err := a.momentLosses(m, &sigma)
	if err != nil {
		return nil, claim, err
	}
	return losses.At, losses.Claim, nil
}

// in returns a function that prices a pair in another metric.
func in(laws *walkpath.Laws) func(u, v int, sigma float64, m privacy.Metric) (float64, error) {
	return func(u, v int, sigma float64, m privacy.Metric) (float64, error) { return laws.Law(u, v).Loss(sigma, m) }
}

// A pricer prices every pair, by laws or by moments. Its losses have type L.
type pricer[L any] interface {
	Losses(sigma float64, m privacy.Metric) (L, error)
	Calibrate(s privacy.Statistic, target float64, m privacy.Metric) (L, privacy.Calibration, error)
	CalibrateLimits(limits []privacy.Limit, m privacy.Metric) (L, privacy.Calibration, error)
}

// pathLosses returns the losses at sigma. If sigma is nil it calibrates, and low is the lower end of the bracket.
func pathLosses[L any](a *Algorithm, of pricer[L], m privacy.Metric, sigma *float64) (losses L, low float64, err error) {
	if sigma != nil {
		losses, err = of.Losses(*sigma, m)
		return losses, 0, err
	}
	target, err := a.Target()
	if err != nil {
		return losses, 0, err
	}
	var calibration privacy.Calibration
	switch {
	case target.Mean != 0:
		losses, calibration, err = of.Calibrate(privacy.Mean, target.Mean, m)
	case target.IsMax():
		losses, calibration, err = of.Calibrate(privacy.Max, target.Limits[0].Loss, m)
	default:
		losses, calibration, err = of.CalibrateLimits(target.Limits, m)
	}
	return losses, calibration.Low, err
}

// sampledPath returns the account of a sample. The mean is estimated. The maximum covers pairs that were not drawn by the local
// loss, which is the only statement about these.
func (a *Algorithm) sampledPath(e *walkpath.Estimate, m privacy.Metric, sigma *float64) (family.Account, float64, error) {
	losses, low, err := pathLosses(a, e.Laws, m, sigma)
	if err != nil {
		return family.Account{}, 0, err
	}
	claim := losses.Claim
	claim.Assumptions = e.Assumptions // includes those of the mean
	least, most := e.Interval(losses)
	account := family.Account{Accounted: family.Accounted("path", e.Mean(losses), losses.Max(), claim), Rest: losses.At, Law: e.Law, In: in(e.Laws), Low: low}
	account.At = func(u, v int) float64 {
		if !e.Priced(u, v) {
			return math.NaN()
		}
		return losses.At(u, v)
	}
	account.MeanStatus, account.Unpriced = report.Estimate, e.Unpriced()
	account.MeanInterval = &report.Interval{Low: report.Number(least), High: report.Number(most), Confidence: walkpath.IntervalConfidence}
	return account, losses.Sigma, nil
}

// symmetry returns the classes of pairs of a graph with known symmetries, if the walk shares these. It does if its weights
// follow from the graph alone. A walk weighted by shown constants has none.
func (a *Algorithm) symmetry() (walkpath.PairClass, bool) {
	s, ok := a.Graph.Symmetry()
	if !ok || a.Transition.Rule() == weightedRule {
		return nil, false
	}
	return walkpath.SymmetricClass(s.Family, s.Sides)
}

// weightedRule is the rule of graph.NewWeighted.
const weightedRule = "weighted"

// strata holds the distance from which each class of a sample was drawn, and the number of ordered pairs at each distance.
type strata struct{ of, size []int }

// pathClasses returns the classes of pairs whose laws are computed. strata is nil unless they are a sample.
func (a *Algorithm) pathClasses() (walkpath.PairClass, *strata, error) {
	n := a.Graph.Len()
	if class := a.symmetricClass(); class != nil {
		return class, nil, nil
	}
	if n*(n-1) <= classesLimit {
		return walkpath.EveryPair(n), nil, nil
	}
	if n > family.PairLimit {
		return nil, nil, fault.New(fmt.Sprintf("the path accountant draws pairs by distance, which for %d nodes are too many to list", n),
			"use privacy.accountant: local, or ask for one pair: hearsay privacy walk --u U --v V")
	}
	return a.samplePairs(n)
}

// fewLaws reports whether the laws of a few pairs cover all pairs.
func (a *Algorithm) fewLaws() bool {
	n := a.Graph.Len()
	return n*(n-1) <= classesLimit || a.symmetricClass() != nil
}

// symmetricClass returns the classes of pairs on a graph whose known symmetries leave few laws. It returns nil for other
// graphs.
func (a *Algorithm) symmetricClass() walkpath.PairClass {
	if class, known := a.symmetry(); known && classes(class, a.Graph.Len()) <= symmetricLimit {
		return class
	}
	return nil
}

// classes returns the largest class of the pairs with node 0, plus one.
func classes(class walkpath.PairClass, n int) int {
	most := 0
	for v := 1; v < n; v++ {
		most = max(most, class(0, v)+1)
	}
	return most
}

func (a *Algorithm) samplePairs(n int) (walkpath.PairClass, *strata, error) {
	hops, err := a.Graph.AllDistances()
	if err != nil {
		return nil, nil, err
	}
	diameter := 0
	for _, row := range hops {
		for _, d := range row {
			diameter = max(diameter, int(d))
		}
	}
	var stream step.Stream
	each := max(1, pathPairs/diameter)
	class := walkpath.StratifiedPairs(n, func(u, v int) int { return int(hops[u][v]) }, each, stream.At(a.Spec.Seed, 0, 0, 0, step.Audit))
	return class, stratify(class, hops, diameter), nil
}

func stratify(class walkpath.PairClass, hops [][]uint16, diameter int) *strata {
	st := &strata{size: make([]int, diameter+1)}
	for u, row := range hops {
		for v, d := range row {
			if u == v {
				continue
			}
			st.size[d]++
			if k := class(u, v); k != walkpath.Unlawed {
				for k >= len(st.of) {
					st.of = append(st.of, 0)
				}
				st.of[k] = int(d)
			}
		}
	}
	return st
}
