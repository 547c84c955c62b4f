package walklikelihood

import (
	"slices"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Energies are what attackers learn about every node from sights of which they know the path, beside
// all that others contribute: the squared shift over noise of the Gaussian that they see, at noise
// of one sensitivity,
//
//	sum over sights of (sum of weights of u's contributions)^2 / (sum of squared weights of all noise),
//
// m^2/l where all weigh the same. At noise multiplier sigma they tell two values that are the sensitivity apart
// no better and no worse than a Gaussian moved by sqrt(energy)/sigma, and no unbiased estimate of the value has a variance
// below that of the noise over the energy. It is +Inf where a value is seen without noise.
func (b *Board) Energies(sights []Sight) []float64 {
	energies := make([]float64, len(b.shift))
	for _, s := range sights {
		variance, _ := b.add(s)
		for _, u := range b.touched {
			energies[u] += b.shift[u] * b.shift[u] / variance
		}
		b.clear()
	}
	return energies
}

// Row is what a sight says where its path is known.
func (b *Board) Row(s Sight) Row {
	r := Row{Sight: s}
	r.Variance, r.Carried = b.add(s)
	r.Nodes = slices.Sorted(slices.Values(b.touched))
	for _, u := range r.Nodes {
		r.Coefficients = append(r.Coefficients, b.shift[u])
	}
	b.clear()
	return r
}

// Sound are what a sound accountant charges every node for the same sights, whose path is known: the energy of the greatest
// convex minorant of its contributions (package privacy/walkpath) where all weigh the same and all turns have the usual noise; the
// number of contributions, each seen alone, where sizes change; Energies where noise is not the usual one in every turn.
func (b *Board) Sound(sights []Sight) []float64 {
	for _, turn := range b.track {
		if turn.Noise != 1 {
			return b.Energies(sights)
		}
	}
	energies := make([]float64, len(b.shift))
	own := make(map[int][]int)
	for _, s := range sights {
		turns := b.track[s.Begin:s.End]
		constant := turns[0].Size == turns[len(turns)-1].Size
		for j, turn := range turns {
			if !turn.Contributed {
				continue
			}
			if constant {
				own[turn.Holder] = append(own[turn.Holder], j)
			} else {
				energies[turn.Holder]++
			}
		}
		for u, at := range own {
			energies[u] += walkpath.ExcursionEnergy(at, s.Len())
		}
		clear(own)
	}
	return energies
}
