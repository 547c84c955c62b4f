// Package noise clips and perturbs in one call, which returns the vector and its Release. Nothing else in
// Hearsay draws privacy noise, so that nothing can be released without the clipping that its sensitivity
// depends on.
//
// Clipping is per example, or of a node's mean if all of its data is the unit of privacy. It comes before the
// noise, because clipping a noisy gradient would not bound the sensitivity. A clipped mean has weaker
// properties: it moves by 2 clips if one example changes, and a step along it may be expansive.
package noise

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Source adds Gaussian noise. Simulated sources are reproducible and therefore give no protection. A daemon
// never uses one.
type Source interface {
	// Add adds independent Gaussians of standard deviation std to dst, for the release of a node and lane at
	// turn t. Each (node, turn, lane) must be used once, for one value: two values with the same simulated
	// noise would reveal their difference.
	Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane)
	// Simulated reports whether the noise can be predicted from a seed.
	Simulated() bool
}

// Gradients holds the per-example gradients of one node at one point, each as a slope times a direction.
type Gradients interface {
	Len() int
	// Gradient returns example i's gradient, slope x direction, and the direction's norm. The direction is
	// valid until the next call. If it is one shorter than the parameters, a 1 for the intercept follows it,
	// which the norm includes.
	Gradient(i int) (slope, norm float64, direction []float64)
}

// Blocks computes gradients a block of examples at a time. It never stores single gradients, only their norms
// and sums.
type Blocks interface {
	Gradients
	// Next moves to the next block and returns the norms of its gradients, valid until the next call. It
	// returns nil after the last block, and then begins again.
	Next() []float64
	// Add adds the sum of weight[i] x gradient i of the block to dst, once a block. A gradient of weight 0 adds
	// nothing, even if it is not finite.
	Add(dst, weight []float64)
}

// A Stream yields gradients from another program, block by block, and may fail.
type Stream interface {
	Gradients
	// Stream passes all gradients to take, block by block. If it must begin again it calls begin, and earlier
	// blocks do not count. After an error no block counts.
	Stream(begin func(), take func(Block)) error
}

// A Block holds some gradients of a Stream.
type Block interface {
	// Norms returns their norms. The caller may overwrite them.
	Norms() []float64
	// Add adds the sum of weight[i] x gradient i to dst. A gradient of weight 0 adds nothing, even if it is not
	// finite.
	Add(dst, weight []float64)
}

// Rows yields gradients that are slopes times rows of a matrix, a block of examples at a time.
type Rows interface {
	Gradients
	// NextRows returns the next block, valid until the next call. It returns nil after the last block, and then
	// begins again.
	NextRows() *RowBlock
}

// A RowBlock holds some examples of Rows: their slopes, which may be overwritten, their norms and their
// directions, row by row. Directions are Width long and as in Gradients.
type RowBlock struct {
	Slopes, Norms, Directions []float64
	Width                     int
}

// Gaussian is the Gaussian mechanism on a mean of per-example gradients, each clipped to norm Clip. The noise
// has standard deviation Multiplier x Sensitivity per coordinate, the same at every node whatever its own clip (002 Proposition 3.7
// with all of a node's examples replaced, or with Shares one of them).
type Gaussian struct {
	Clip       float64   // L2 norm, > 0; +Inf only with Multiplier 0
	Clips      []float64 // by node: its own norm, > 0 and at most Clip; nil: all have Clip
	Multiplier float64   // sigma, >= 0
	Shares     *Shares   // the unit of privacy is one record; nil: all examples of a node
	Together   bool      // the mean is clipped instead of each gradient; needs Shares nil
}

// Records reports whether the unit of privacy is one record.
func (g Gaussian) Records() bool { return g.Shares != nil }

// ClipOf returns the norm to which a node clips.
func (g Gaussian) ClipOf(node step.NodeID) float64 {
	if g.Clips == nil {
		return g.Clip
	}
	return g.Clips[node]
}

// LeastClip returns the smallest norm to which a node clips.
func (g Gaussian) LeastClip() float64 {
	if g.Clips == nil {
		return g.Clip
	}
	return slices.Min(g.Clips)
}

// Sensitivity returns an upper bound on the sensitivities of all nodes, which one with Clip attains. It is 2 Clip, because replacing every example moves
// the mean at most from one end of the ball to the other. If one record is the unit of privacy it is that times
// the largest share of a record.
func (g Gaussian) Sensitivity() float64 {
	if g.Shares == nil {
		return 2 * g.Clip
	}
	return 2 * g.Clip * g.Shares.largest
}

// SensitivityOf returns the sensitivity of one node, at most Sensitivity.
func (g Gaussian) SensitivityOf(node step.NodeID) float64 {
	clip := g.ClipOf(node)
	if g.Shares == nil {
		return 2 * clip
	}
	return 2 * clip * g.Shares.of[node]
}

// Sensitivities returns the sensitivities of all nodes, or nil if nothing makes them differ.
func (g Gaussian) Sensitivities() []float64 {
	if g.Shares == nil && g.Clips == nil {
		return nil
	}
	all := make([]float64, g.nodes())
	for v := range all {
		all[v] = g.SensitivityOf(step.NodeID(v))
	}
	return all
}

// nodes returns the number of nodes that Shares or Clips are of.
func (g Gaussian) nodes() int {
	if g.Shares != nil {
		return len(g.Shares.of)
	}
	return len(g.Clips)
}

// Relatives returns the Sensitivities over Sensitivity. It returns nil if nothing makes them differ.
func (g Gaussian) Relatives() []float64 {
	if g.Shares == nil && g.Clips == nil {
		return nil
	}
	all := slices.Repeat([]float64{1}, g.nodes())
	for v := range all {
		if g.Shares != nil {
			all[v] = g.Shares.of[v] / g.Shares.largest
		}
		if g.Clips != nil {
			all[v] = float64(all[v] * (g.Clips[v] / g.Clip))
		}
	}
	return all
}

// Rate returns the probability with which each of a node's examples is in its release. It is 1 except for
// Poisson samples.
func (g Gaussian) Rate(node step.NodeID) float64 {
	if !g.Sampled() {
		return 1
	}
	return g.Shares.rates[node]
}

// Sampled reports whether nodes release sums over Poisson samples (NewPoissonShares).
func (g Gaussian) Sampled() bool { return g.Shares != nil && g.Shares.rates != nil }

// Rates returns the rates of all nodes, or nil if examples are not sampled.
func (g Gaussian) Rates() []float64 {
	if !g.Sampled() {
		return nil
	}
	return g.Shares.rates
}

// Most returns the largest norm of a release before the noise, in clips. It is 1, or 1 over the least rate if
// examples are sampled, because all of them may be in the sample.
func (g Gaussian) Most() float64 {
	if !g.Sampled() {
		return 1
	}
	return (1 + 0x1p-20) / slices.Min(g.Shares.rates)
}

// Std returns the noise's standard deviation per coordinate.
func (g Gaussian) Std() float64 {
	if g.Multiplier == 0 {
		return 0
	}
	return g.Multiplier * g.Sensitivity()
}

// An Update defines a step of parameters x:
//
//	x <- x - Rate (Scale * mean of clipped gradients + Shrink x) + noise
//
// with noise of standard deviation Rate x Std. It is added to x itself, so that the release has no digits below
// those of the noise.
type Update struct {
	Rate   float64 // step size, > 0
	Scale  float64 // a constant of the node; the scaled mean still has norm at most Clip
	Shrink float64 // of the L2 penalty, which does not depend on data
	// Expected is the expected number of examples of a Poisson sample, by which their sum is divided whatever
	// their number. 0 means the mean over all of a node's examples.
	Expected float64
	Inner    bool // each gradient is clipped after scaling, so that one of norm at most Clip/Scale is not clipped
}

// Descend takes the step u along the gradients of. r names the node, whose clip is used, turn and lane; Descend fills in the rest
// of the release, in units of the gradient. mean is scratch as long as x.
func (g *Gaussian) Descend(x, mean []float64, of Gradients, u *Update, src Source, r *step.Release) {
	g.mean(mean, of, u, g.ClipOf(r.From))
	g.move(x, mean, u, src, r)
	g.release(r, of.Len() > 0 || u.Expected > 0)
}

// Mean sets dst to the direction of Descend's step by a node, for a later Take.
func (g *Gaussian) Mean(node step.NodeID, dst []float64, of Gradients, u *Update) {
	g.mean(dst, of, u, g.ClipOf(node))
}

// Clipped clips a node's direction as Together clips a mean. One that is not finite becomes zero.
func (g *Gaussian) Clipped(node step.NodeID, direction []float64) {
	limit(direction, g.ClipOf(node)*aLittleLess)
}

// Take takes the step of Descend along mean, as Mean has set it. It clips mean once more, so that for any mean
// the step moves x no more than one along clipped gradients. Take overwrites mean.
func (g *Gaussian) Take(x, mean []float64, u *Update, src Source, r *step.Release) {
	if most := g.ClipOf(r.From) * g.Most(); !(sparse.Norm(mean) <= most*(1+0x1p-40)) { // a mean that limit has scaled stays as it is
		limit(mean, most)
	}
	g.move(x, mean, u, src, r)
	g.release(r, true)
}

// Drift takes the same step without data. A node takes it after its last contribution.
func (g *Gaussian) Drift(x, mean []float64, u *Update, src Source, r *step.Release) {
	clear(mean)
	g.move(x, mean, u, src, r)
	g.release(r, false)
}

// mean sets dst to the mean of the clipped gradients times the scale, or to their sum over the expected number
// of examples times the scale. Its norm is at most Most times clip for any gradients. A gradient that is not finite
// counts as zero, a constant within every clip, and so does such a mean. With Together the gradients are not
// clipped, only the mean is.
func (g *Gaussian) mean(dst []float64, of Gradients, u *Update, clip float64) {
	clear(dst)
	n, over := of.Len(), u.Expected
	if over == 0 {
		over = float64(n)
	}
	most := clip * g.Most()
	switch {
	case g.Together:
		clip, most = math.Inf(1), most*aLittleLess
	case u.Inner:
		clip /= u.Scale
	}
	switch of := of.(type) {
	case Rows:
		addRows(dst, of, clip)
	case Blocks:
		addBlocks(dst, of, clip)
	case Stream:
		addStream(dst, of, clip)
	default:
		for i := range n {
			slope, norm, direction := of.Gradient(i)
			addClipped(dst, slope, norm, direction, clip)
		}
	}
	sparse.Scale(dst, u.Scale/over)
	limit(dst, most)
}

func (g *Gaussian) move(x, mean []float64, u *Update, src Source, r *step.Release) {
	if u.Shrink != 0 {
		sparse.Axpy(mean, u.Shrink, x)
	}
	sparse.Axpy(x, -u.Rate, mean)
	src.Add(x, u.Rate*g.Std(), r.From, r.Turn, r.Lane)
}

func (g *Gaussian) release(r *step.Release, contributed bool) {
	r.Contributed, r.Sensitivity, r.NoiseStd = contributed, g.SensitivityOf(r.From), g.Std()
}

// limit scales v down to norm clip if it is longer, and clears v if it is not finite. Without a clip it does
// nothing.
func limit(v []float64, clip float64) {
	if math.IsInf(clip, 1) {
		return
	}
	length := sparse.Norm(v)
	switch {
	case !finite(length), clip/length < leastShare:
		clear(v)
	case length > clip:
		sparse.Scale(v, clip/length)
	}
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// addClipped adds slope x direction, or slope x (direction, 1), to dst, scaled down to norm clip if it is
// longer. With a clip, a gradient that is not finite adds nothing. Neither does one along a direction so long
// that clip/norm would lose digits.
func addClipped(dst []float64, slope, norm float64, direction []float64, clip float64) {
	if !(finite(slope) && finite(norm) && clip/norm >= leastShare) && !math.IsInf(clip, 1) {
		return
	}
	if math.Abs(slope)*norm > clip {
		slope = math.Copysign(clip/norm, slope)
	}
	sparse.Axpy(dst, slope, direction)
	if len(dst) > len(direction) {
		dst[len(direction)] += slope
	}
}

// addRows does as addClipped for all gradients of rows in order, with the same bits.
func addRows(dst []float64, of Rows, clip float64) {
	for b := of.NextRows(); b != nil; b = of.NextRows() {
		if !sparse.Shorten(b.Slopes, b.Norms, clip) {
			for i, slope := range b.Slopes { // shortening twice is shortening once
				addClipped(dst, slope, b.Norms[i], b.Directions[i*b.Width:(i+1)*b.Width], clip)
			}
			continue
		}
		sparse.AxpyRows(dst, b.Slopes, b.Directions, b.Width)
		if len(dst) > b.Width {
			sum := dst[b.Width]
			for _, slope := range b.Slopes {
				sum += slope
			}
			dst[b.Width] = sum
		}
	}
}

// addBlocks does as addClipped for all gradients of blocks.
func addBlocks(dst []float64, of Blocks, clip float64) {
	for norms := of.Next(); norms != nil; norms = of.Next() {
		for i, norm := range norms {
			norms[i] = share(norm, clip)
		}
		of.Add(dst, norms)
	}
}

// addStream does as addClipped for all gradients of a stream. If the stream fails it adds none.
func addStream(dst []float64, of Stream, clip float64) {
	err := of.Stream(func() { clear(dst) }, func(b Block) {
		weights := b.Norms()
		for i, norm := range weights {
			weights[i] = share(norm, clip)
		}
		b.Add(dst, weights)
	})
	if err != nil {
		clear(dst)
	}
}

// aLittleLess compensates for the rounding of a norm and of a product, for layers of up to thousands of units.
const aLittleLess = 1 - 0x1p-40

// leastShare is the smallest normal float64. A smaller share would round by more than aLittleLess compensates.
const leastShare = 0x1p-1022

// share returns the factor that clips a gradient of a given norm. It returns 0 if the factor would be below
// leastShare.
func share(norm, clip float64) float64 {
	switch {
	case !finite(norm) && !math.IsInf(clip, 1), clip/norm < leastShare:
		return 0
	case norm > clip*aLittleLess:
		return clip / norm * aLittleLess
	}
	return 1
}
