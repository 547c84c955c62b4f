package tile

import "github.com/hearsay-dp/hearsay/internal/math"

// A Pooling holds four cells side by side of eight maps each: entry 8*c+m is of cell c and map m. The value of a cell is the
// largest of two by two sums, if it is above 0.
type Pooling struct {
	Largest [4 * 8]float64 // the largest sum; where it is not above 0, 0 times it
	Corner  [4 * 8]uint8   // 0 upper left, 1 upper right, 2 lower left, 3 lower right: the first with the largest sum; 4: none is above 0
}

// Windows says where Pool reads numbers. The upper left sum of the first cell begins at X[0]. Those to its right begin Step
// numbers further each, and those below it Lower numbers further.
type Windows struct {
	X           []float64
	Step, Lower int
}

// Pool sets cells, four times as many as dst is long, side by side. A sum of map m is begin[m] plus, in the order of j,
// weights[8*j+m] times the number offsets[j] behind the begin of the sum. Each product is fused with its addition, so that sums
// have the bits of Terms.
func Pool(dst []Pooling, w Windows, begin *[8]float64, weights []float64, offsets []int) {
	if len(weights) != 8*len(offsets) || len(offsets) == 0 || w.Step < 0 || w.Lower < 0 {
		panic("Pool: eight weights an offset, and no steps back")
	}
	last := w.Lower + (8*len(dst)-1)*w.Step
	for _, at := range offsets {
		if at < 0 || at+last >= len(w.X) {
			panic("Pool: an offset beyond the numbers")
		}
	}
	for i := range dst {
		if !poolVector(&dst[i], &w, begin, weights, offsets) {
			dst[i].plain(&w, begin, weights, offsets)
		}
		if i+1 < len(dst) {
			w.X = w.X[8*w.Step:]
		}
	}
}

func (p *Pooling) plain(w *Windows, begin *[8]float64, weights []float64, offsets []int) {
	for k := range p.Largest {
		at, m := k/8*2*w.Step, k%8
		best, which := 0.0, uint8(0)
		for q, corner := range [...]int{0, w.Step, w.Lower, w.Lower + w.Step} {
			sum := begin[m]
			for j, offset := range offsets {
				sum = math.FMA(weights[8*j+m], w.X[at+corner+offset], sum)
			}
			if q == 0 || sum > best {
				best, which = sum, uint8(q)
			}
		}
		if p.Largest[k], p.Corner[k] = best, which; !(best > 0) {
			p.Largest[k], p.Corner[k] = 0*best, 4
		}
	}
}
