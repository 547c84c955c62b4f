package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
)

// ringFlags are what `privacy ring` is asked.
type ringFlags struct {
	task                  string
	nodes, rounds, values int
	sigma, eps, delta     float64
	local                 float64
	spread, final         bool
	colluders             []int
	sensitivities         []float64
}

func newPrivacyRingCommand() *cobra.Command {
	var f ringFlags
	cmd := &cobra.Command{
		Use:   "ring --nodes N --rounds K --delta D",
		Short: "What a token that goes round a directed ring tells",
		Long: `Ring prices a private sum or histogram that goes round a directed ring (002,
Algorithms 5.1 and 5.2). For the sum give --sigma, or --eps to find the smallest
sigma; for the histogram give --local, the epsilon of one answer by itself.`,
		Example: "  hearsay privacy ring --nodes 100 --rounds 10 --sigma 30 --delta 1e-6\n" +
			"  hearsay privacy ring --nodes 100 --rounds 10 --eps 1 --delta 1e-6 --spread --colluders 3,5\n" +
			"  hearsay privacy ring --task histogram --nodes 2000 --rounds 5 --values 4 --local 0.4 --delta 1e-6",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.task, "task", "sum", "sum or histogram")
	flags.IntVar(&f.nodes, "nodes", 0, "nodes on the ring")
	flags.IntVar(&f.rounds, "rounds", 0, "rounds of the token, K")
	flags.IntVar(&f.values, "values", 2, "histogram: number of values")
	flags.Float64Var(&f.sigma, "sigma", 0, "sum: noise of one release over the largest change of one value")
	flags.Float64Var(&f.eps, "eps", 0, "sum: find the smallest sigma for this epsilon instead")
	flags.Float64Var(&f.local, "local", 0, "histogram: epsilon of one answer by itself")
	flags.Float64Var(&f.delta, "delta", 1e-6, "delta in all")
	flags.BoolVar(&f.spread, "spread", false, "sum: every node adds a share of the noise (Remark 5.6)")
	flags.BoolVar(&f.final, "final", false, "the total is shown to everybody")
	flags.IntSliceVar(&f.colluders, "colluders", nil, "sum: nodes that pool what they see (default: any single node)")
	sensitivityFlag(cmd, &f.sensitivities, "sum")
	required(cmd, "nodes", "rounds")
	return cmd
}

func (f *ringFlags) run(cmd *cobra.Command) error {
	if err := form.OneOf("--task", f.task, "sum", "histogram"); err != nil {
		return err
	}
	if err := form.CheckDelta(f.delta); err != nil {
		return err
	}
	for _, v := range f.colluders {
		if v < 0 || v >= f.nodes {
			return fault.New(fmt.Sprintf("--colluders: node %d is not in a ring of %d nodes", v, f.nodes), "number nodes from 0")
		}
	}
	if f.sensitivities != nil {
		if f.task == "histogram" {
			return fault.New("--sensitivities: an answer of a histogram can change altogether", "leave them out")
		}
		if err := checkSensitivities(f.sensitivities, f.nodes); err != nil {
			return err
		}
	}
	var b bill
	switch {
	case f.task == "histogram":
		if err := checkLocal(f.local); err != nil {
			return err
		}
		f.histogram(&b)
	case f.sensitivities != nil:
		f.soundEach(&b)
	case f.eps != 0:
		f.calibrate(&b)
	default:
		f.sum(&b)
	}
	return b.show(cmd)
}

func (f *ringFlags) ring() sums.Ring {
	return sums.Ring{Nodes: f.nodes, Rounds: f.rounds, Spread: f.spread, Final: f.final}
}

func (f *ringFlags) metric() privacy.Metric { return privacy.Metric{Delta: f.delta} }

func (f *ringFlags) sum(b *bill) {
	loss, claim, err := f.ring().Sound(f.sigma, f.metric(), f.colluders...)
	b.add(privacy.Sound, lost("sound", claim, loss, f.metric()), err)
	g, err := f.ring().PublishedAt(f.sigma, f.delta)
	b.add(privacy.Published, guaranteed("published", g), err)
}

func (f *ringFlags) calibrate(b *bill) {
	noise, cal, err := f.ring().Tight(f.eps, f.metric(), f.colluders...)
	b.add(privacy.Sound, tightened("sound", noise.Claim, cal), err)
	b.calibrate(f.eps, func(sigma float64) (privacy.Guarantee, error) { return f.ring().PublishedAt(sigma, f.delta) })
}

func (f *ringFlags) histogram(b *bill) {
	h := sums.RingHistogram{Nodes: f.nodes, Rounds: f.rounds, Response: sums.Respond(f.values, f.local), Final: f.final}
	g, err := h.Sound(f.delta)
	b.add(privacy.Sound, guaranteed("sound", g), err)
	g, err = h.SoundFeldman(f.delta)
	b.add(privacy.Sound, guaranteed("feldman", g), err)
	g, err = h.PublishedAt(f.values, f.local, f.delta)
	b.add(privacy.Published, guaranteed("published", g), err)
}
