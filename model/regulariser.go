package model

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Regulariser is a convex function r of the parameters, beside
// the loss and its L2 penalty. It depends on no data. It need be neither smooth nor finite, because algorithms
// use only its proximal operator, which is firmly
// non-expansive (Moreau 1965). It is on every parameter, the intercept included. The
// zero value is r = 0.
type Regulariser struct {
	Kind      RegulariserKind
	Weight    float64 // of l1: Weight norm(z)_1; of l2: Weight/2 norm(z)^2; at least 0
	Low, High float64 // of a box: Low <= z_j <= High, Low <= High
	Total     float64 // of a simplex: z_j >= 0, with the sum Total > 0
}

// RegulariserKind names a function.
type RegulariserKind string

// The regularisers there are. Those of a set are 0 in it and +Inf outside.
const (
	NoRegulariser RegulariserKind = ""
	L1            RegulariserKind = "l1"
	SquaredL2     RegulariserKind = "l2"
	Box           RegulariserKind = "box"
	Simplex       RegulariserKind = "simplex"
)

// None reports whether r = 0.
func (r Regulariser) None() bool { return r.Kind == NoRegulariser }

// Strong returns the strong convexity of r, at least 0.
func (r Regulariser) Strong() float64 {
	if r.Kind == SquaredL2 {
		return r.Weight
	}
	return 0
}

// within is the relative rounding error that a sum may have.
const within = 0x1p-40

// Value returns r(z). For a set it is 0 in the set, rounding allowed for, and +Inf outside.
func (r Regulariser) Value(z []float64) (value float64) {
	inside := true
	switch r.Kind {
	case L1:
		for _, x := range z {
			value += math.Abs(x)
		}
		return r.Weight * value
	case SquaredL2:
		for _, x := range z {
			value += float64(x * x)
		}
		return r.Weight / 2 * value
	case Box:
		for _, x := range z {
			inside = inside && x >= r.Low && x <= r.High
		}
	case Simplex:
		sum := 0.0
		for _, x := range z {
			sum += x
			inside = inside && x >= 0
		}
		inside = inside && math.Abs(sum-r.Total) <= within*r.Total*float64(len(z))
	}
	if !inside {
		return math.Inf(1)
	}
	return 0
}

// Prox sets dst to the proximal point of v, the z that minimises
//
//	gamma r(z) + 1/2 norm(z - v)^2,  gamma > 0.
//
// dst and v are as long, and may be the same. Nothing is allocated.
func (r Regulariser) Prox(dst, v []float64, gamma float64) {
	switch r.Kind {
	case NoRegulariser:
		copy(dst, v)
	case L1:
		shrink(dst, v, gamma*r.Weight)
	case SquaredL2:
		factor := 1 / (1 + float64(gamma*r.Weight))
		for j, x := range v {
			dst[j] = x * factor
		}
	case Box:
		for j, x := range v {
			dst[j] = math.Max(r.Low, math.Min(r.High, x))
		}
	case Simplex:
		toSimplex(dst, v, r.Total)
	default:
		panic(fmt.Sprintf("model: there is no regulariser %q", r.Kind))
	}
}

// shrink moves every entry of v by so much towards 0, and not beyond.
func shrink(dst, v []float64, by float64) {
	for j, x := range v {
		switch {
		case x > by:
			dst[j] = x - float64(by)
		case x < -by:
			dst[j] = x + float64(by)
		default:
			dst[j] = 0
		}
	}
}

// toSimplex sets dst to the nearest point to v with entries of at least 0 that sum to
// total. All entries are lowered by one number, and those below 0 are 0 (Michelot 1986, A finite
// algorithm for finding the projection of a point onto the canonical simplex). The
// number rises from round to round and each takes an entry out, so there are at most as
// many rounds as entries.
func toSimplex(dst, v []float64, total float64) {
	if len(v) == 0 {
		return
	}
	most := v[0]
	for _, x := range v {
		most = math.Max(most, x)
	}
	// Entries are counted from the largest, which stays above 0. by is at most 0, and an entry that is
	// total or more below the largest becomes 0.
	by, kept := -total, 0
	for {
		sum, count := 0.0, 0
		for _, x := range v {
			if x-most > by {
				sum, count = sum+(x-most), count+1
			}
		}
		if count == kept || count == 0 {
			break
		}
		by, kept = math.Max(by, (sum-total)/float64(count)), count
	}
	for j, x := range v {
		dst[j] = math.Max(0, x-most-by)
	}
}
