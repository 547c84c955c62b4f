package dataset

import (
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// maxSyntheticTest bounds the test part of a synthetic source: 10000 rows
// measure an accuracy to half a percent.
const maxSyntheticTest = 10000

// A law draws one example: it fills x and returns the label.
type law func(x []float64, rng *rand.Rand) (y float64)

// Generate draws a synthetic source straight into the nodes' shards, o.Rows
// rows each. The rows of a node depend on the seed and the node alone. The
// test part is drawn apart; it is o.Test of all rows, at most 10000.
//
//   - two-gaussians (004, section V): labels -1 and +1 with equal
//     probability, rows from N(y mu, v I) with v = Variance and every
//     coordinate of mu equal to Centre. The paper has v = 1 and 10 and does
//     not state its mu.
//   - sparse-regression: rows uniform on the unit sphere, labels <x, w> plus
//     noise of variance Variance; w has Support coefficients of +1 or -1 and
//     zeros elsewhere. The ADMM experiments have 1000 nodes, 64 features,
//     support 8.
//   - mean: rows from N(Centre, Variance I), no label.
func Generate(o Options, seed uint64) (*Federation, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if !Synthetic(o.Source) {
		return nil, fault.New(o.Source+" is read, not generated", "use Load")
	}
	if err := o.checkSynthetic(); err != nil {
		return nil, err
	}
	f := &Federation{Source: o.Source, Partition: o.Partition, FeatureNames: numbered(o.Features)}
	draw := f.law(o, seed)
	f.fill(o, seed, draw)
	if err := f.scale(o); err != nil {
		return nil, err
	}
	if o.Source == "sparse-regression" && o.Scale == "none" {
		f.Bound = 1
	}
	f.Notes = append(f.Notes, fmt.Sprintf("Synthetic data (%s) drawn from seed %d: nobody's data.", o.Source, seed))
	return f, nil
}

// law chooses the distribution of the source and describes it in f.
func (f *Federation) law(o Options, seed uint64) law {
	std := math.Sqrt(o.Variance)
	switch o.Source {
	case "two-gaussians":
		f.Task, f.Target, f.Classes = Classification, "side", []string{"around -mu", "around +mu"}
		return twoGaussians(o.Centre, std)
	case "sparse-regression":
		f.Task, f.Target, f.Truth = Regression, "response", sparseTruth(o, seed)
		return sphereRegression(f.Truth, std)
	}
	f.Task = Mean
	return func(x []float64, rng *rand.Rand) float64 {
		fillNormal(x, o.Centre, std, rng)
		return 0
	}
}

// fill draws all shards and the test part.
func (f *Federation) fill(o Options, seed uint64, draw law) {
	d, rows := o.Features, o.Nodes*o.Rows
	f.Shards = &Shards{Features: d, X: make([]float64, rows*d), Y: make([]float64, rows), Offsets: equalOffsets(o.Nodes, o.Rows)}
	var stream step.Stream
	for v := range o.Nodes {
		x, y := f.Shards.Shard(v)
		fillRows(x, y, d, draw, stream.At(seed, step.NodeID(v), 0, 0, step.Data))
	}
	tests := int(math.Min(maxSyntheticTest, math.Round(float64(rows)*o.Test/(1-o.Test))))
	f.Test = Block{Features: d, X: make([]float64, tests*d), Y: make([]float64, tests)}
	fillRows(f.Test.X, f.Test.Y, d, draw, stream.At(seed, everyone, testTurn, 0, step.Data))
}

// fillRows draws rows of d features one after another.
func fillRows(x, y []float64, d int, draw law, rng *rand.Rand) {
	for i := range y {
		y[i] = draw(x[i*d:(i+1)*d], rng)
	}
}

// twoGaussians returns the law of two classes around plus and minus the same mean.
func twoGaussians(centre, std float64) law {
	return func(x []float64, rng *rand.Rand) float64 {
		y := float64(2*rng.IntN(2) - 1)
		fillNormal(x, y*centre, std, rng)
		return y
	}
}

// sphereRegression returns a linear law on the unit sphere.
func sphereRegression(w []float64, std float64) law {
	return func(x []float64, rng *rand.Rand) float64 {
		fillNormal(x, 0, 1, rng)
		UnitNorm(x, len(x))
		return sparse.Dot(w, x) + float64(std*step.Normal(rng))
	}
}

// sparseTruth draws the coefficients of a sparse regression.
func sparseTruth(o Options, seed uint64) []float64 {
	var stream step.Stream
	rng := stream.At(seed, everyone, truthTurn, 0, step.Data)
	w := make([]float64, o.Features)
	for _, j := range rng.Perm(o.Features)[:o.Support] {
		w[j] = float64(2*rng.IntN(2) - 1)
	}
	return w
}

// fillNormal sets every coordinate to mean + std times a standard normal.
func fillNormal(x []float64, mean, std float64, rng *rand.Rand) {
	for j := range x {
		x[j] = mean + float64(std*step.Normal(rng))
	}
}
