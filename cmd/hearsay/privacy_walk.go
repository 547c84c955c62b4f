package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hearsay/graph"
	"hearsay/internal/fault"
	"hearsay/privacy"
)

// walkFlags are what `privacy walk` is asked.
type walkFlags struct {
	onGraph
	steps, contributions, paths, burnIn, u, v int
	sigma, alpha                              float64
	sender, accountant, condition, start      string
	final                                     bool
}

func newPrivacyWalkCommand() *cobra.Command {
	var f walkFlags
	cmd := &cobra.Command{
		Use:   "walk --graph G --steps T --sigma S --alpha A",
		Short: "What a random walk of the model tells every node about every other",
		Long: `Walk prices random-walk SGD. The published accountant is 000 Theorem 3: eps is
contributions times the loss of a single one. The path accountant is sound: it
prices the paths of the token, for one pair given with --u (who leaks) and --v
(who learns), or for all pairs of a small graph. Its delta holds for any eps,
however small; --paths also simulates paths and gives their confidence bound.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := f.account()
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd, answer)
			}
			return answer.print(cmd.OutOrStdout())
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.IntVar(&f.steps, "steps", 0, "turns that update the token, T")
	flags.Float64Var(&f.sigma, "sigma", 0, "noise multiplier")
	flags.Float64Var(&f.alpha, "alpha", 2, "Renyi order")
	flags.StringVar(&f.sender, "sender", "hidden", "published: whether a node sees who handed it the token: hidden or known")
	flags.StringVar(&f.accountant, "accountant", "all", "published, path or all")
	flags.StringVar(&f.condition, "condition", "weakest", "published: what sigma must satisfy: weakest or printed")
	flags.IntVar(&f.contributions, "contributions", 0, "cap of a node's contributions (default: published 1, path no cap)")
	flags.StringVar(&f.start, "start", "uniform", "node that starts, or uniform")
	flags.IntVar(&f.burnIn, "burn-in", 0, "hops before the first update")
	flags.BoolVar(&f.final, "final", false, "path: the last token is shown to everybody")
	flags.IntVar(&f.paths, "paths", 0, "path: simulate so many paths as well")
	flags.IntVar(&f.u, "u", -1, "node that leaks")
	flags.IntVar(&f.v, "v", -1, "node that learns")
	for _, name := range []string{"steps", "sigma"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// walkAnswer is the JSON of `privacy walk`.
type walkAnswer struct {
	N           int             `json:"n"`
	Accountants walkAccountants `json:"accountants"`
}

type walkAccountants struct {
	Published *publishedWalk `json:"published,omitempty"`
	Path      *pathWalk      `json:"path,omitempty"`
	Local     *localWalk     `json:"local,omitempty"`
}

type publishedWalk struct {
	claimJSON
	Single any `json:"single"` // matrix [u][v], or one number with --u and --v
	Eps    any `json:"eps"`
}

type pathWalk struct {
	claimJSON
	Eps        any          `json:"eps"` // Renyi divergence of order alpha
	Confidence float64      `json:"confidence"`
	Delta      []deltaAt    `json:"delta,omitempty"`
	Energy     float64      `json:"mean_energy,omitempty"`
	Paths      int          `json:"paths"`
	Sampled    *sampledWalk `json:"sampled,omitempty"`
}

type deltaAt struct {
	Eps   float64 `json:"eps"`
	Delta float64 `json:"delta"`
}

// sampledWalk are confidence bounds from simulated paths.
type sampledWalk struct {
	Eps        float64   `json:"eps"`
	Confidence float64   `json:"confidence"`
	Delta      []deltaAt `json:"delta"` // the failure probability is charged in it
	Energy     float64   `json:"mean_energy"`
	Paths      int       `json:"paths"`
}

type localWalk struct {
	claimJSON
	Eps float64 `json:"eps"`
}

// account answers the question.
func (f *walkFlags) account() (*walkAnswer, error) {
	w, err := f.open()
	if err != nil {
		return nil, err
	}
	if err := f.check(w.Len()); err != nil {
		return nil, err
	}
	a := &walkAnswer{N: w.Len()}
	if f.accountant != "path" {
		if a.Accountants.Published, err = f.published(w); err != nil {
			return nil, err
		}
	}
	if f.accountant != "published" {
		if a.Accountants.Path, err = f.path(w); err != nil {
			return nil, err
		}
	}
	a.Accountants.Local, err = f.local()
	return a, err
}

func (f *walkFlags) check(n int) error {
	for _, choice := range []struct {
		flag, value string
		known       []string
	}{
		{"--sender", f.sender, []string{"hidden", "known"}},
		{"--accountant", f.accountant, []string{"published", "path", "all"}},
		{"--condition", f.condition, []string{"weakest", "printed"}},
	} {
		if choice.value != choice.known[0] && choice.value != choice.known[1] && choice.value != choice.known[len(choice.known)-1] {
			return fault.New(fmt.Sprintf("%s: %q is not known", choice.flag, choice.value), fmt.Sprintf("use one of %v", choice.known))
		}
	}
	if (f.u < 0) != (f.v < 0) || f.u >= n || f.v >= n || f.u == f.v && f.u >= 0 {
		return fault.New(fmt.Sprintf("--u %d --v %d is not a pair of different nodes of %d", f.u, f.v, n), "give both, from 0 to n-1, or neither for all pairs")
	}
	if !(f.alpha > 1) {
		return fault.New(fmt.Sprintf("--alpha %g is not above 1", f.alpha), "give a Renyi order such as 2")
	}
	return nil
}

// onePair reports whether a pair was chosen.
func (f *walkFlags) onePair() bool { return f.u >= 0 }

func (f *walkFlags) published(t *graph.Transition) (*publishedWalk, error) {
	w, err := privacy.NewWalk(t.Sparse(), f.steps, privacy.Exact)
	if err != nil {
		return nil, err
	}
	charge := privacy.Charge{Contributions: max(1, f.contributions), Metric: privacy.Metric{Order: f.alpha}}
	if f.condition == "printed" {
		charge.Condition = privacy.Printed
	}
	sender := privacy.Hidden
	if f.sender == "known" {
		sender = privacy.Known
	}
	if f.onePair() {
		return f.publishedPair(w, sender, charge)
	}
	if err := checkMatrix(t.Len()); err != nil {
		return nil, err
	}
	sums, err := w.Sums(workers())
	if err != nil {
		return nil, err
	}
	losses, err := w.Pairs(sums, sender).Losses(f.sigma, charge)
	if err != nil {
		return nil, err
	}
	n := t.Len()
	single := matrix(n, func(u, v int) float64 { return losses.Single(u, v, f.alpha) })
	return &publishedWalk{claimed(losses.Claim), single, matrix(n, losses.At)}, nil
}

// publishedPair needs one row of the sums only, on graphs of any size.
func (f *walkFlags) publishedPair(w *privacy.Walk, sender privacy.Sender, charge privacy.Charge) (*publishedWalk, error) {
	reach := make([]float64, w.Len())
	if err := w.Towards(reach, f.u, sender); err != nil {
		return nil, err
	}
	claim, err := charge.Claim(f.sigma, sender)
	if err != nil {
		return nil, err
	}
	single := f.alpha / (f.sigma * f.sigma) * reach[f.v]
	return &publishedWalk{claimed(claim), single, float64(charge.Contributions) * single}, nil
}

func (f *walkFlags) local() (*localWalk, error) {
	loss, claim, err := privacy.LocalLoss(f.most(), f.sigma, privacy.Metric{Order: f.alpha})
	return &localWalk{claimed(claim), loss}, err
}

// most is the largest number of contributions a node can make.
func (f *walkFlags) most() int {
	if f.contributions == 0 {
		return f.steps
	}
	return min(f.contributions, f.steps)
}

// walk is what the path accountant is told: the updates of a private run on a
// convex, smooth model, which is what this command prices.
func (f *walkFlags) walk(t *graph.Transition) (privacy.PathWalk, error) {
	start := privacy.AnyStart
	if f.start != "uniform" {
		var err error
		if start, err = strconv.Atoi(f.start); err != nil {
			return privacy.PathWalk{}, fault.New(fmt.Sprintf("--start: %q is not a node", f.start), "give a node number, or uniform")
		}
	}
	return privacy.PathWalk{
		Nodes: t.Len(), W: t.Sparse(), Start: start, Turns: f.steps, BurnIn: f.burnIn, Cap: f.contributions, Final: f.final,
		Updates: privacy.Updates{Convex: true, ClipSafe: true, ConstantStep: true, NoiseAlways: true, Smoothness: 1, Step: 1},
	}, nil
}

// allPairsLimit is the most pairs whose laws are computed one by one.
const allPairsLimit = 1000

func (f *walkFlags) path(t *graph.Transition) (*pathWalk, error) {
	walk, err := f.walk(t)
	if err != nil {
		return nil, err
	}
	if f.onePair() {
		return f.pathOfPair(t, walk)
	}
	n := t.Len()
	class, ok := symmetry(t)
	if !ok {
		class = privacy.EveryPair(n)
	}
	if f.paths == 0 {
		f.paths = f.affordable(n)
	}
	switch {
	case ok || n*(n-1) <= allPairsLimit:
	case f.paths > 0:
		return f.sampleAll(t, walk)
	case f.accountant == "all":
		return nil, nil // too dear to be looked at unasked
	default:
		return nil, fault.New(fmt.Sprintf("the path accountant would look at %d pairs one by one", n*(n-1)), "choose a pair with --u and --v, or simulate all of them with --paths 1000")
	}
	laws, err := walk.Laws(class, workers())
	if err != nil {
		return nil, err
	}
	losses, err := laws.Losses(f.sigma, privacy.Metric{Order: f.alpha})
	if err != nil {
		return nil, err
	}
	return &pathWalk{claimJSON: claimed(losses.Claim), Eps: matrix(n, losses.At), Confidence: 1}, nil
}

// deltasAt are the eps at which delta is reported.
var deltasAt = []float64{0.1, 0.25, 0.5, 1, 2, 4, 8}

func (f *walkFlags) pathOfPair(t *graph.Transition, walk privacy.PathWalk) (*pathWalk, error) {
	law, err := walk.Law(f.u, f.v)
	if err != nil {
		return nil, err
	}
	p := &pathWalk{claimJSON: claimed(law.Claim), Eps: law.RDP(f.alpha, f.sigma), Confidence: 1, Energy: law.Mean()}
	for _, eps := range deltasAt {
		p.Delta = append(p.Delta, deltaAt{eps, law.Delta(eps, f.sigma)})
	}
	if f.paths == 0 {
		return p, nil
	}
	p.Paths = f.paths
	p.Sampled, err = f.sample(t, walk)
	return p, err
}

// failure is the probability with which simulated paths may mislead.
const failure = 1e-3

func (f *walkFlags) sample(t *graph.Transition, walk privacy.PathWalk) (*sampledWalk, error) {
	samples, err := f.simulate(t, walk, []privacy.Pair{{U: f.u, V: f.v}})
	if err != nil {
		return nil, err
	}
	sample := samples[0]
	s := &sampledWalk{Eps: sample.RDP(f.alpha, f.sigma, failure), Confidence: 1 - failure, Energy: sample.Mean(), Paths: sample.Paths}
	for _, eps := range deltasAt {
		s.Delta = append(s.Delta, deltaAt{eps, sample.Delta(eps, f.sigma, failure)})
	}
	return s, nil
}

// affordable is how many paths of all pairs can be simulated unasked, 0 if too
// few to say anything.
func (f *walkFlags) affordable(n int) int {
	if paths := int(4e8 / (float64(f.steps) * float64(n))); paths >= 1000 {
		return min(paths, 10_000)
	}
	return 0
}

// sampleAll bounds all pairs by one pass over simulated paths. No bound is above
// the local loss.
func (f *walkFlags) sampleAll(t *graph.Transition, walk privacy.PathWalk) (*pathWalk, error) {
	n := t.Len()
	if err := checkMatrix(n); err != nil {
		return nil, err
	}
	var pairs []privacy.Pair
	for u := range n {
		for v := range n {
			if u != v {
				pairs = append(pairs, privacy.Pair{U: u, V: v})
			}
		}
	}
	samples, err := f.simulate(t, walk, pairs)
	if err != nil {
		return nil, err
	}
	local, err := f.local()
	if err != nil {
		return nil, err
	}
	each := failure / float64(len(pairs))
	eps := make([][]float64, n)
	for u := range eps {
		eps[u] = make([]float64, n)
	}
	for i, p := range pairs {
		eps[p.U][p.V] = min(samples[i].RDP(f.alpha, f.sigma, each), local.Eps)
	}
	return &pathWalk{claimJSON: claimed(samples[0].Claim), Eps: eps, Confidence: 1 - failure, Paths: f.paths}, nil
}

func (f *walkFlags) simulate(t *graph.Transition, walk privacy.PathWalk, pairs []privacy.Pair) ([]*privacy.EnergySample, error) {
	return privacy.PathSimulation{
		Walk: walk, Tokens: 1, Paths: f.paths, Seed: f.seed,
		Next: func(at, _ int, r *rand.Rand) int { return t.Next(at, r) },
	}.Sample(pairs, workers())
}

// print writes a table for people.
func (a *walkAnswer) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name string, status privacy.Status, eps any) {
		switch x := eps.(type) {
		case float64:
			fmt.Fprintf(t, "%s\t(%s)\t%.6g\n", name, status, x)
		case [][]float64:
			mean, worst := summarise(x)
			fmt.Fprintf(t, "%s\t(%s)\tmean %.6g, worst %.6g over all pairs\n", name, status, mean, worst)
		}
	}
	if p := a.Accountants.Published; p != nil {
		line("published, one contribution", p.Status, p.Single)
		line("published", p.Status, p.Eps)
	}
	if p := a.Accountants.Path; p != nil {
		line("path", p.Status, p.Eps)
		for _, d := range p.Delta {
			fmt.Fprintf(t, "path, delta at eps %g\t(%s)\t%.6g\n", d.Eps, p.Status, d.Delta)
		}
		if s := p.Sampled; s != nil {
			line(fmt.Sprintf("%d simulated paths, confidence %g", s.Paths, s.Confidence), p.Status, s.Eps)
		}
	}
	if l := a.Accountants.Local; l != nil {
		line("local", l.Status, l.Eps)
	}
	return t.Flush()
}

// summarise is the mean and the maximum off the diagonal.
func summarise(m [][]float64) (mean, worst float64) {
	n := float64(len(m))
	for u, row := range m {
		for v, x := range row {
			if u != v {
				mean += x / (n * (n - 1))
				worst = max(worst, x)
			}
		}
	}
	return mean, worst
}
