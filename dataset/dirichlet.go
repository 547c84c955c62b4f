package dataset

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// byDirichlet gives every node each rows whose classes are skewed (Hsu, Qi
// and Brown 2019). A node draws its own class probabilities from a Dirichlet
// distribution with mean the classes' shares and parameters concentration x
// classes x share (for classes of equal size: the symmetric Dirichlet of that
// concentration), then its rows one by one without replacement. A class that
// has run out is drawn no more. Nodes choose in random order, so that the
// leftovers of the last ones are spread over the graph.
func byDirichlet(t *Table, train []int32, nodes, each int, concentration float64, rng *rand.Rand) (assignment, error) {
	if t.Task != Classification {
		return assignment{}, fault.New(t.Source+": a Dirichlet partition needs classes", "use partition: position to skew a numeric label")
	}
	pools := t.strata(train)
	shape := make([]float64, len(pools))
	for c := range pools {
		shape[c] = concentration * float64(len(pools)) * float64(len(pools[c])) / float64(len(train))
	}
	a := assignment{order: make([]int32, nodes*each), offsets: equalOffsets(nodes, each)}
	weights := make([]float64, len(pools))
	for _, v := range rng.Perm(nodes) {
		drawDirichlet(weights, shape, rng)
		shard := a.order[v*each : (v+1)*each]
		for i := range shard {
			c := drawClass(weights, pools, rng)
			last := len(pools[c]) - 1
			shard[i], pools[c] = pools[c][last], pools[c][:last]
		}
	}
	return a, nil
}

// drawDirichlet sets dst to a draw with the given parameters, up to a factor.
// Parameters so small that every component underflows yield the limit of the
// distribution: one component, with probability proportional to its parameter.
func drawDirichlet(dst, shape []float64, rng *rand.Rand) {
	sum := 0.0
	for c, a := range shape {
		dst[c] = drawGamma(a, rng)
		sum += dst[c]
	}
	if sum > 0 {
		return
	}
	clear(dst)
	dst[drawIndex(shape, rng)] = 1
}

// drawGamma draws from the Gamma distribution of a shape > 0 and scale 1 (Marsaglia and Tsang 2000).
func drawGamma(shape float64, rng *rand.Rand) float64 {
	d, factor := shape-1.0/3, 1.0
	if shape < 1 {
		d, factor = d+1, math.Pow(rng.Float64(), 1/shape)
	}
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := step.Normal(rng)
		v := 1 + float64(x*c)
		if v <= 0 {
			continue
		}
		v = float64(v * v * v)
		if math.Log(rng.Float64()) < float64(0.5*x*x)+float64(d*(1-v+math.Log(v))) {
			return factor * d * v
		}
	}
}

// drawClass picks a class that still has rows, by weight. If all its weight
// is on classes that ran out, it picks by the number of rows left.
func drawClass(weights []float64, pools [][]int32, rng *rand.Rand) int {
	open, sum := make([]float64, len(pools)), 0.0
	for c := range pools {
		if len(pools[c]) > 0 {
			open[c] = weights[c]
			sum += weights[c]
		}
	}
	if sum == 0 {
		for c := range pools {
			open[c] = float64(len(pools[c]))
		}
	}
	return drawIndex(open, rng)
}

// drawIndex picks an index with probability proportional to its weight; an
// index of weight 0 is never picked.
func drawIndex(weights []float64, rng *rand.Rand) int {
	sum, last := 0.0, -1
	for i, w := range weights {
		sum += w
		if w > 0 {
			last = i
		}
	}
	if last < 0 {
		panic("dataset: nothing to draw from")
	}
	u := rng.Float64() * sum
	for i, w := range weights[:last] {
		if u < w {
			return i
		}
		u -= w
	}
	return last
}
