package walkpath

import (
	"cmp"
	"slices"
)

// What a coalition learns is bounded by what its members learn alone.
//
// On every path V_F, the energy towards a coalition F, is at most the sum over
// its members f of V_f. An excursion that F ends is ended by some f that receives
// the token in a turn r, or by the release of the last one, which ends one of
// every f; different ones go to different ones. The excursion of f that ends there
// began no later, since f is in F, so it has all the contributions of the former,
// and those of the former lie at the end of it. Its energy is no less: an
// energy is the largest (sum z_j c_j)^2 / sum z_j^2 over z >= 0 that do not fall
// (clock.go), and the z of the shorter, with zeros before, is one for the longer.
//
// How the V_f depend on each other is not known. Of all ways, growing together
// gives the expectation of any convex increasing function of their sum its
// largest value, and so do laws in place of the V_f that are above them in
// increasing convex order: both hold because the mean of the upper part of a
// law adds up if and, in general, is subadditive only (Dhaene et al. 2002). The
// quantiles of that sum are the sums of the members' quantiles, which for any
// size of the laws are at most the sum of the largest so many at that level.

// Pooled bounds the energy towards any so many of observers of one node, whose
// laws are given, that put together what they see.
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

// pooledStep is by what share energies of a pooled law are rounded up, so that it
// stays short.
const pooledStep = 1.0 / 512

func (l *Law) add(energy, weight float64) {
	if weight > 0 {
		l.Energies, l.Weights = append(l.Energies, energy), append(l.Weights, weight)
	}
}

// A descent is where the upper quantile of a law falls to an energy: paths of
// this probability have more.
type descent struct {
	level float64
	law   int
	to    float64
}

// descents lists where quantiles fall, from the top, and the largest energies.
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

// distinct lists laws once that are one for several observers, and for how many.
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

// largest is the sum of the largest so many of numbers that are not negative, each
// of which is there count times.
func largest(x []float64, count []int, size int) (total float64) {
	best := make([]int, 0, min(size, len(x))+1) // by falling x
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
