package walklikelihood

import (
	"slices"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Energies returns the energy of every node towards attackers who know the path of the sights, and all contributions of other
// nodes. It is the squared shift over noise of their Gaussian view, at noise of one sensitivity,
//
//	sum over sights of (sum of weights of u's contributions)^2 / (sum of squared weights of all noise),
//
// which is m^2/l if all weights are equal. At noise multiplier sigma the view separates two values one sensitivity apart exactly
// as well as a Gaussian moved by sqrt(energy)/sigma. No unbiased estimate of the value has a variance below that of the noise over
// the energy. It is +Inf if a value is seen without noise.
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

// Row returns the row of a sight whose path is known.
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

// Sound returns the energies that a sound accountant charges every node for the same sights, whose path is known. If all weights
// are equal and all turns have the usual noise, it is the energy of the greatest convex minorant of the node's contributions
// (package privacy/walkpath). If sizes change it is the number of contributions, each seen alone. If a turn has another than the
// usual noise, it is Energies.
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
