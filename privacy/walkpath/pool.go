package walkpath

import (
	"cmp"
	"slices"
)

// The loss towards a coalition is bounded by the losses towards its members alone.
//
// On every path V_F, the energy towards a coalition F, is at most the sum over its members f of V_f. An
// excursion that F ends is ended by some f that receives the token in a turn r, or by the release of the last
// token, which ends one excursion of every f. Different excursions of F map to different ones of members. The
// excursion of f that ends there began no later, because f is in F. It therefore has all contributions of the
// excursion of F, at its end. Its energy is not smaller. For an energy is the largest (sum z_j c_j)^2 / sum
// z_j^2 over z >= 0 that do not fall (clock.go). The z of the shorter excursion, with zeros before, is
// admissible for the longer.
//
// The joint law of the V_f is not known. Of all joint laws the comonotone one gives the expectation of any
// convex increasing function of their sum its largest value. Laws that are above those of the V_f in increasing
// convex order may replace them. Both hold because the mean of the upper part of a law is additive for
// comonotone variables and subadditive in general (Dhaene et al. 2002). The quantiles of that sum are the sums
// of the members' quantiles. For any coalition of size members these are at most the sum of the size largest
// quantiles at that level.

// Pooled returns an upper bound of the energy that any size observers learn about one node if they collude.
// laws holds the law towards each observer alone.
func Pooled(laws []*Law, size int) *Law {
	if len(laws) == 0 || size < 1 {
		panic("privacy/walkpath: a coalition of nobody")
	}
	size = min(size, len(laws))
	pooled := &Law{Claim: laws[0].Claim, Most: laws[0].Most, Relative: laws[0].Relative, Besides: laws[0].Besides}
	laws, count := distinct(laws)
	falls, at := descents(laws)
	level, top := 0.0, largest(at, count, size)
	for len(falls) > 0 && level < 1 {
		next := falls[0].level
		for len(falls) > 0 && falls[0].level == next {
			at[falls[0].law], falls = falls[0].to, falls[1:]
		}
		if now := largest(at, count, size); now < top*(1-pooledStep) {
			pooled.add(top, min(next, 1)-level)
			level, top = min(next, 1), now
		}
	}
	pooled.add(top, 1-level)
	return pooled
}

// pooledStep is the relative amount by which energies of a pooled law are rounded up, so that the law stays
// short.
const pooledStep = 1.0 / 512

func (l *Law) add(energy, weight float64) {
	if weight > 0 {
		l.Energies, l.Weights = append(l.Energies, energy), append(l.Weights, weight)
	}
}

// A descent is a point at which the upper quantile of a law falls to the energy to: paths of probability level
// have more.
type descent struct {
	level float64
	law   int
	to    float64
}

// descents lists the points at which quantiles fall, from the top, and the largest energy of each law.
func descents(laws []*Law) (falls []descent, top []float64) {
	top = make([]float64, len(laws))
	for k, law := range laws {
		order := make([]int, len(law.Energies))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(law.Energies[j], law.Energies[i]) })
		level, from := 0.0, 0.0
		for n, i := range order {
			if n == 0 {
				top[k] = law.Energies[i]
			} else if energy := law.Energies[i]; energy < from {
				falls = append(falls, descent{level, k, energy})
			}
			level, from = level+max(0, law.Weights[i]), law.Energies[i]
		}
	}
	slices.SortFunc(falls, func(a, b descent) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.law, b.law), cmp.Compare(b.to, a.to))
	})
	return falls, top
}

// distinct returns the different laws, and the number of observers that have each.
func distinct(laws []*Law) (once []*Law, count []int) {
	place := make(map[*Law]int)
	for _, law := range laws {
		k, known := place[law]
		if !known {
			k = len(once)
			place[law], once, count = k, append(once, law), append(count, 0)
		}
		count[k]++
	}
	return once, count
}

// largest returns the sum of the size largest of numbers that are not negative, where x[k] occurs count[k]
// times.
func largest(x []float64, count []int, size int) (total float64) {
	best := make([]int, 0, min(size, len(x))+1) // in falling order of x
	for k, v := range x {
		if len(best) == size && v <= x[best[size-1]] {
			continue
		}
		i := len(best)
		for i > 0 && x[best[i-1]] < v {
			i--
		}
		best = slices.Insert(best, i, k)
		best = best[:min(len(best), size)]
	}
	for _, k := range best {
		n := min(count[k], size)
		total, size = total+float64(float64(n)*x[k]), size-n
	}
	return total
}
