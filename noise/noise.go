// Package noise clips and perturbs, in one call that returns the vector and
// its Release: nothing else in Hearsay draws privacy noise, and nothing can
// be released without the clipping that its sensitivity rests on.
//
// Clipping is per example, or of a node's mean where all of its data is the unit
// of privacy, and comes before the noise. Clipping a noisy gradient would not bound
// the sensitivity. A clipped mean is no more than that: it moves by 2 clips if one example
// changes, and a step along it may spread two models.
package noise

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Source adds Gaussian noise. Simulated sources are reproducible and
// therefore worthless as protection; a daemon is never given one.
type Source interface {
	// Add adds independent Gaussians of standard deviation std to dst, for
	// what node releases of a lane at turn t. A (node, turn, lane) is asked for
	// once, for one value: two values under one simulated noise would show their
	// difference bare.
	Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane)
	// Simulated reports whether the noise can be predicted from a seed.
	Simulated() bool
}

// Gradients are the per-example gradients of one node at one point, each as a
// slope times a direction.
type Gradients interface {
	Len() int
	// Gradient returns example i's gradient, slope x direction, borrowed until
	// the next call, and the direction's norm. Where the direction is one
	// shorter than the parameters, it goes on with a 1: the intercept's, which
	// the norm counts.
	Gradient(i int) (slope, norm float64, direction []float64)
}

// Blocks are gradients that are computed a block of examples at a time and never
// written down one by one: only their norms are, and sums of them.
type Blocks interface {
	Gradients
	// Next goes on to the next block and returns the norms of its gradients, borrowed;
	// nil after the last one, and then begins again.
	Next() []float64
	// Add adds the sum of weight[i] x gradient i of the block to dst, once a block. What
	// weighs 0 adds nothing, whatever it is.
	Add(dst, weight []float64)
}

// A Stream is gradients that come from elsewhere, block by block, and may fail to.
type Stream interface {
	Gradients
	// Stream shows take all gradients, block by block. Where it has to begin again it calls begin, and what was taken
	// before does not count. After an error nothing does.
	Stream(begin func(), take func(Block)) error
}

// A Block is some gradients of a Stream.
type Block interface {
	// Norms are theirs, borrowed; the caller may write over them.
	Norms() []float64
	// Add adds the sum of weight[i] x gradient i to dst. What weighs 0 adds nothing, whatever it is.
	Add(dst, weight []float64)
}

// Rows are gradients that are slopes times rows of a matrix, a block of examples at a time.
type Rows interface {
	Gradients
	// NextRows goes on to the next block, borrowed; nil after the last one, and then begins
	// again.
	NextRows() *RowBlock
}

// A RowBlock is some examples of Rows: their slopes, which may be written over, the norms and
// the directions, row by row. Directions, all so wide, are what they are in Gradients.
type RowBlock struct {
	Slopes, Norms, Directions []float64
	Width                     int
}

// Gaussian is the Gaussian mechanism on a mean of per-example gradients, each
// clipped to norm Clip, with noise of standard deviation Multiplier x
// Sensitivity per coordinate, the same at every node (002 Proposition 3.7 with all
// of a node's examples replaced, or with Shares one of them).
type Gaussian struct {
	Clip       float64 // L2 norm, > 0; +Inf only with Multiplier 0
	Multiplier float64 // sigma, >= 0
	Shares     *Shares // the unit of privacy is one record; nil: all examples of a node
	Together   bool    // the mean is clipped, and not each of its gradients; without Shares
}

// Sensitivity is the largest of all nodes: 2 Clip, for replacing every example
// moves the mean from one end of the ball to the other at most, times the largest
// share of a record where that is the unit.
func (g Gaussian) Sensitivity() float64 {
	if g.Shares == nil {
		return 2 * g.Clip
	}
	return 2 * g.Clip * g.Shares.largest
}

// SensitivityOf is that of one node, at most Sensitivity.
func (g Gaussian) SensitivityOf(node step.NodeID) float64 {
	if g.Shares == nil {
		return 2 * g.Clip
	}
	return 2 * g.Clip * g.Shares.of[node]
}

// Sensitivities are those of all nodes where one record is the unit of privacy, nil
// elsewhere.
func (g Gaussian) Sensitivities() []float64 {
	if g.Shares == nil {
		return nil
	}
	all := make([]float64, len(g.Shares.of))
	for v := range all {
		all[v] = g.SensitivityOf(step.NodeID(v))
	}
	return all
}

// Relatives are the Sensitivities over the largest, nil where all of a node's data is
// the unit of privacy.
func (g Gaussian) Relatives() []float64 {
	if g.Shares == nil {
		return nil
	}
	all := make([]float64, len(g.Shares.of))
	for v, share := range g.Shares.of {
		all[v] = share / g.Shares.largest
	}
	return all
}

// Rate is the probability with which each of a node's examples is in what it releases:
// below 1 of Poisson samples only.
func (g Gaussian) Rate(node step.NodeID) float64 {
	if !g.Sampled() {
		return 1
	}
	return g.Shares.rates[node]
}

// Sampled reports whether nodes release sums over Poisson samples (NewPoissonShares).
func (g Gaussian) Sampled() bool { return g.Shares != nil && g.Shares.rates != nil }

// Rates are those of all nodes, nil where examples are not sampled.
func (g Gaussian) Rates() []float64 {
	if !g.Sampled() {
		return nil
	}
	return g.Shares.rates
}

// Most is how many clips long what nodes release can be before the noise: 1, and where
// examples are sampled 1 over the least rate, for all of them may be in.
func (g Gaussian) Most() float64 {
	if !g.Sampled() {
		return 1
	}
	return (1 + 0x1p-20) / slices.Min(g.Shares.rates)
}

// Std is the noise's standard deviation per coordinate.
func (g Gaussian) Std() float64 {
	if g.Multiplier == 0 {
		return 0
	}
	return g.Multiplier * g.Sensitivity()
}

// An Update says how a step moves parameters x:
//
//	x <- x - Rate (Scale * mean of clipped gradients + Shrink x) + noise
//
// with noise of standard deviation Rate x Std, added to x itself: what is
// released then holds nothing finer than the noise does.
type Update struct {
	Rate   float64 // step size, > 0
	Scale  float64 // a constant of the node; the scaled mean has norm at most Clip all the same
	Shrink float64 // of the L2 penalty, which no data go into
	// Expected is, of a Poisson sample, how many examples it has in the mean: what their sum is
	// divided by, however many there are. 0: of all of a node's examples the mean is taken.
	Expected float64
	Inner    bool // each gradient is clipped after it is scaled: one at most Clip/Scale long is not clipped
}

// Descend takes the step u on the gradients of. r says who takes it, when and of which lane; what it
// releases, in units of the gradient, is filled in. mean is scratch as long as x.
func (g *Gaussian) Descend(x, mean []float64, of Gradients, u *Update, src Source, r *step.Release) {
	g.mean(mean, of, u)
	g.move(x, mean, u, src, r)
	g.release(r, of.Len() > 0 || u.Expected > 0)
}

// Mean sets dst to what Descend takes a step along, for a step that Take takes later.
func (g *Gaussian) Mean(dst []float64, of Gradients, u *Update) { g.mean(dst, of, u) }

// Take takes the step of Descend along what Mean has set, which is held to the clip once more: whatever it is,
// the step moves x by no more than one along clipped gradients. mean is written over.
func (g *Gaussian) Take(x, mean []float64, u *Update, src Source, r *step.Release) {
	if most := g.Clip * g.Most(); !(sparse.Norm(mean) <= most*(1+0x1p-40)) { // a mean that was limited stays as it is
		limit(mean, most)
	}
	g.move(x, mean, u, src, r)
	g.release(r, true)
}

// Drift takes the same step without data: what a node sends on once it has made
// its last contribution.
func (g *Gaussian) Drift(x, mean []float64, u *Update, src Source, r *step.Release) {
	clear(mean)
	g.move(x, mean, u, src, r)
	g.release(r, false)
}

// mean sets dst to the mean of the clipped gradients, or to their sum over the number of
// examples to expect, times the scale. Whatever the
// gradients say, its norm is at most Most clips: one that is not finite counts as
// zero, a constant within every clip, and so does a mean that is not. Together all gradients count
// as they are, and only the mean is clipped.
func (g *Gaussian) mean(dst []float64, of Gradients, u *Update) {
	clear(dst)
	n, over := of.Len(), u.Expected
	if over == 0 {
		over = float64(n)
	}
	clip, most := g.Clip, g.Clip*g.Most()
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

// limit scales v down to norm clip if it is longer, and clears it if it is not
// finite. Without a clip it does nothing.
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

// addClipped adds slope x direction (x, 1), scaled down to norm clip if it is
// longer, to dst. Under a clip a gradient that is not finite adds nothing, and neither does one along a
// direction so long that clip/norm would lose digits.
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

// addRows is addClipped of all gradients of rows, one after the other, the same bits.
func addRows(dst []float64, of Rows, clip float64) {
	for b := of.NextRows(); b != nil; b = of.NextRows() {
		if !sparse.Shorten(b.Slopes, b.Norms, clip) {
			for i, slope := range b.Slopes { // to shorten twice is to shorten once
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

// addBlocks is addClipped of all gradients of blocks.
func addBlocks(dst []float64, of Blocks, clip float64) {
	for norms := of.Next(); norms != nil; norms = of.Next() {
		for i, norm := range norms {
			norms[i] = share(norm, clip)
		}
		of.Add(dst, norms)
	}
}

// addStream is addClipped of all gradients of a stream, or of none where it fails.
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

// aLittleLess makes up for what rounding of a norm and of a product can add to a
// clipped gradient, of layers of up to thousands of units.
const aLittleLess = 1 - 0x1p-40

// leastShare is the least float64 with all its digits: a share below it would round by more than aLittleLess makes up for.
const leastShare = 0x1p-1022

// share is what is left of a gradient of a norm once it is clipped: nothing of one whose share would be below leastShare.
func share(norm, clip float64) float64 {
	switch {
	case !finite(norm) && !math.IsInf(clip, 1), clip/norm < leastShare:
		return 0
	case norm > clip*aLittleLess:
		return clip / norm * aLittleLess
	}
	return 1
}
