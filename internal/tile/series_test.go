package tile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
)

// drawSeries are tiles, factors and series of random numbers.
func drawSeries(rng *rand.Rand, count int) (q []Tile, factors []Factors, with []Series) {
	q, factors, with = make([]Tile, count), make([]Factors, count), make([]Series, count)
	for m := range q {
		copy(q[m][:], sparsetest.Block(rng, len(q[m])))
		factors[m] = NewFactors((*[Width]float64)(sparsetest.Block(rng, Width)))
		copy(with[m][pads*Width:], sparsetest.Block(rng, Width*Width))
	}
	return q, factors, with
}

// Products of power series are convolutions, of as many at once as are given.
func TestSeriesAreConvolved(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for count := range 5 {
		q, factors, with := drawSeries(rng, count)
		var folded, multiplied Tile
		by := Lanes(sparsetest.Block(rng, Width))
		copy(folded[:], sparsetest.Block(rng, len(folded)))
		copy(multiplied[:], folded[:])
		start := folded
		Fold(&folded, q, &by, factors)
		Multiply(&multiplied, q, with)
		for lane := range Width {
			for k := range Width {
				fold := start[k*Width+lane] * math.Pow(by[lane], float64(count))
				product := start[k*Width+lane]
				for m := range q {
					for i := range k + 1 {
						fold += math.Pow(by[lane], float64(m)) * q[m][i*Width+lane] * factors[m][pads+k-i]
						product += q[m][i*Width+lane] * with[m].Row(k - i)[lane]
					}
				}
				if math.Abs(folded[k*Width+lane]-fold) > 1e-9*(1+math.Abs(fold)) || math.Abs(multiplied[k*Width+lane]-product) > 1e-9*(1+math.Abs(product)) {
					t.Fatalf("%d at once: order %d of lane %d is %v and %v, want %v and %v", count, k, lane,
						folded[k*Width+lane], multiplied[k*Width+lane], fold, product)
				}
			}
		}
		x, y, mixed := Lanes(sparsetest.Block(rng, Width)), by, start
		Mix(&mixed, &mixed, &x, &folded, &y)
		for i := range mixed {
			if want := start[i]*x[i%Width] + folded[i]*y[i%Width]; math.Abs(mixed[i]-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("entry %d of a mixture is %v, want %v", i, mixed[i], want)
			}
		}
	}
}
