package tokens

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// An overheard is the attackers' record of a run, and the true contributions of the nodes.
type overheard struct {
	*walklikelihood.Recording
	truth [][]float64 // mean contribution of every node; nil: none
}

// reconstruct runs the spec without noise and with it. All attackers then look for contributions.
func (w *walkAttack) reconstruct(ctx context.Context) error {
	if w.carriage.Run == nil {
		return w.plan(ctx)
	}
	numbers := 0.0
	for _, one := range w.answer.Attacks {
		numbers += float64(float64(one.Receipts) * float64(w.Algorithm.Local().Params))
	}
	numbers += float64(float64(w.Spec.Nodes*w.Algorithm.Local().Params) * float64(1+len(w.sets)/max(1, w.Spec.Nodes)))
	if numbers > exposure.MostHeard {
		return fault.New("what attackers receive would not fit into memory", "name fewer attackers, or take fewer steps")
	}
	quiet, err := w.listen(ctx, 0)
	if err != nil {
		return err
	}
	noisy := quiet
	if w.answer.Sigma > 0 {
		if noisy, err = w.listen(ctx, float64(w.answer.Sigma)); err != nil {
			return err
		}
	}
	span := gradientinversion.Span(w.Train)
	w.stage("looking for contributions")
	for k := range w.sets {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.pulse.Progress(k, len(w.sets))
		if err := w.find(k, quiet, noisy, span); err != nil {
			return err
		}
	}
	return nil
}

// plan finds the nodes that attackers would single out, without any run.
func (w *walkAttack) plan(ctx context.Context) error {
	w.stage("looking for contributions")
	for k := range w.answer.Attacks {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.pulse.Progress(k, len(w.sets))
		one := &w.answer.Attacks[k]
		found, err := w.reconstructedBy(exposure.SortedSet(one.Attackers))
		if err != nil {
			return err
		}
		for i := range one.Targets {
			t := &one.Targets[i]
			if _, t.Single = slices.BinarySearch(found, t.Node); t.Single {
				one.Single = append(one.Single, t.Node)
			}
		}
	}
	return nil
}

// listen runs the spec with a noise multiplier, on the route of its seed.
func (w *walkAttack) listen(ctx context.Context, sigma float64) (*overheard, error) {
	made, err := w.Algorithm.WithNoise(sigma)
	if err != nil {
		return nil, err
	}
	c, err := carriageOf(made)
	if err != nil {
		return nil, err
	}
	w.say(map[bool]string{true: "running the spec without its noise, with attackers listening", false: "running the spec, with attackers listening"}[sigma == 0])
	p := w.Algorithm.Local().Params
	r := &overheard{walklikelihood.NewRecording(w.carriage.Updates, w.Spec.Nodes, c.Lanes, w.sets), make([][]float64, w.Spec.Nodes)}
	tokens, counts, again := make([][]float64, c.Lanes), make([]float64, w.Spec.Nodes), c.Quiet()
	for lane := range tokens {
		tokens[lane] = slices.Clone(w.carriage.Updates.Initial)
	}
	u, total := w.carriage.Updates, c.Lanes*(w.carriage.Updates.BurnIn+w.carriage.Updates.Turns)
	done, scratch := 0, make([]float64, p)
	_, err = c.Run(w.Spec.Seed).Bulk(ctx, func(release step.Release, token []float64) {
		r.See(release, token)
		if at := int(release.Turn) - u.BurnIn; release.Contributed && at >= 0 { // token <- keep token + size contribution
			before := tokens[release.Lane]
			copy(scratch, before)
			again(scratch, release)
			sparse.Axpy(scratch, -u.Keep(at, true), before)
			if r.truth[release.From] == nil {
				r.truth[release.From] = make([]float64, p)
			}
			sparse.Axpy(r.truth[release.From], 1/u.Size(at), scratch)
			counts[release.From]++
		}
		copy(tokens[release.Lane], token)
		if done++; done%4096 == 0 {
			w.pulse.Progress(done, total)
		}
	})
	for v, truth := range r.truth {
		for i := range truth {
			truth[i] /= counts[v]
		}
	}
	return r, err
}

// find compares the estimates of one set of attackers in both runs with the truth.
func (w *walkAttack) find(k int, quiet, noisy *overheard, span float64) error {
	one := &w.answer.Attacks[k]
	hidden, err := w.knowing(w.sets[k], one.Targets[0].Node)
	if err != nil {
		return err
	}
	clear := walklikelihood.Solve(w.certain(hidden, quiet.Listeners[k].Receipts), w.Spec.Nodes)
	blurred := clear
	if noisy != quiet {
		local := w.Algorithm.Local()
		prior := local.Noise.Clip / math.Sqrt(float64(local.Params))
		if math.IsInf(prior, 1) {
			prior = 1
		}
		if blurred, err = walklikelihood.Posterior(w.beliefs(hidden, noisy.Listeners[k].Receipts), w.Spec.Nodes, local.Noise.Std(), prior); err != nil {
			return err
		}
	}
	for i := range one.Targets {
		t := &one.Targets[i]
		u := t.Node
		t.Single = clear.Resolved[u]
		if t.Single {
			one.Single = append(one.Single, u)
			t.Error = relative(clear.Values[u], quiet.truth[u])
		}
		if t.Error <= gradientinversion.Precise {
			one.Exact = append(one.Exact, u)
		}
		t.NoisyError = t.Error
		if noisy != quiet {
			t.NoisyError = relative(blurred.Values[u], noisy.truth[u])
		}
		if t.NoisyError <= nearly {
			one.Near = append(one.Near, u)
		}
		if t.Direct > 0 && w.carriage.Sign < 0 {
			t.Example = w.example(u, quiet.Listeners[k].Receipts, noisy.Listeners[k].Receipts, quiet.Tracks, span)
		}
	}
	return nil
}

// nearly is the largest relative error at which a contribution counts as found with noise.
const nearly = 0.5

// relative returns the distance of an estimate from the truth, over the length of the truth. A missing estimate counts
// as 0.
func relative(found, truth []float64) report.Number {
	if truth == nil {
		return notKnown
	}
	if found == nil {
		return 1
	}
	square, size := 0.0, 0.0
	for i, x := range truth {
		square += float64((found[i] - x) * (found[i] - x))
		size += float64(x * x)
	}
	if size == 0 {
		return notKnown
	}
	return report.Number(math.Sqrt(square / size))
}

// certain returns the receipts whose path attackers know, as rows.
func (w *walkAttack) certain(hidden []*walklikelihood.Hidden, receipts []walklikelihood.Receipt) (all []walklikelihood.Belief) {
	for _, r := range receipts {
		if hidden == nil || hidden[r.Lane].Certain(w.tracks[r.Lane], r.Sight) {
			all = append(all, walklikelihood.Belief{Row: w.boards[r.Lane].Row(r.Sight), Added: r.Added})
		}
	}
	return all
}

// beliefWork bounds the multiplications for the beliefs of one set of attackers. beliefNumbers bounds the numbers of
// one belief.
const beliefWork, beliefNumbers = 2e8, 1 << 22

// beliefs returns rows as far as attackers know their paths. It leaves out the longest sights, which tell least, if
// they would take too long.
func (w *walkAttack) beliefs(hidden []*walklikelihood.Hidden, receipts []walklikelihood.Receipt) (all []walklikelihood.Belief) {
	entries := w.Spec.Nodes
	if hidden != nil && hidden[0].Walk.W != nil {
		entries = len(hidden[0].Walk.W.Columns)
	}
	left := beliefWork / float64(entries) * max(1, 8/float64(len(w.sets)))
	receipts = slices.Clone(receipts)
	slices.SortStableFunc(receipts, func(a, b walklikelihood.Receipt) int { return a.Len() - b.Len() })
	for _, r := range receipts {
		b := walklikelihood.Belief{Added: r.Added}
		if hidden == nil {
			b.Row = w.boards[r.Lane].Row(r.Sight)
		} else {
			if left -= float64(r.Len()); left < 0 || r.Len()*w.Spec.Nodes > beliefNumbers {
				break
			}
			b.Row, b.Spread = hidden[r.Lane].Believe(w.boards[r.Lane], r.Sight)
		}
		all = append(all, b)
	}
	return all
}

// example inverts the first contribution of u that was returned at once.
func (w *walkAttack) example(u int, quiet, noisy []walklikelihood.Receipt, tracks [][]walklikelihood.Turn, span float64) *Example {
	local := w.Algorithm.Local()
	invert := func(receipts []walklikelihood.Receipt) (s gradientinversion.Success, ok bool) {
		for _, r := range receipts {
			turn := tracks[r.Lane][r.Begin]
			if r.Len() != 1 || turn.Holder != u || !turn.Contributed {
				continue
			}
			gradient := slices.Clone(r.Added)
			for i := range gradient {
				gradient[i] *= w.carriage.Sign / turn.Size
			}
			if _, mean := local.Objective.Model.(model.Mean); mean { // added back what the row has of the token itself
				sparse.Axpy(gradient, (1-turn.Keep)/turn.Size, r.Sent)
			}
			p, ok := gradientinversion.Inversion{Model: local.Objective.Model, Features: w.Train.Features, Theta: r.Sent}.Point(gradient)
			if !ok {
				return s, false
			}
			return gradientinversion.Compare(&p, w.Examples.Examples(step.NodeID(u)), span), true
		}
		return s, false
	}
	clear, ok := invert(quiet)
	if !ok {
		return nil
	}
	e := &Example{Error: report.Number(clear.Error), PSNR: report.Number(clear.PSNR), Label: clear.Labeled, NoisyError: notKnown}
	if blurred, ok := invert(noisy); ok {
		e.NoisyError = report.Number(blurred.Error)
	}
	return e
}
