package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	admmloss "github.com/hearsay-dp/hearsay/privacy/admm"
)

// admmFlags are what `privacy admm` is asked.
type admmFlags struct {
	variant                       string
	nodes, rounds, sampled, takes int
	lipschitz, gamma, sigma, eps  float64 // lipschitz: the largest
	alpha, delta                  float64
	constants                     []float64
}

func newPrivacyADMMCommand() *cobra.Command {
	var f admmFlags
	cmd := &cobra.Command{
		Use:   "admm --variant V --nodes N --rounds K --lipschitz L --gamma G --sigma S",
		Short: "What private ADMM tells, with a curator, federated or decentralised",
		Long: `ADMM prices 002, Algorithms 8.2 (central), 8.3 (federated) and 8.4 (decentralised, on
the complete graph). --sigma is the standard deviation of eta; --eps finds the
smallest one for the local loss, which is the sound one. The loss is at --delta, or
the Renyi divergence of order --alpha.`,
		Example: "  hearsay privacy admm --variant federated --nodes 1000 --sampled 50 --rounds 100 --participations 5 --lipschitz 1 --gamma 0.1 --sigma 4 --alpha 2",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.variant, "variant", "decentralised", "central, federated or decentralised")
	flags.IntVar(&f.nodes, "nodes", 0, "nodes, users or records")
	flags.IntVar(&f.rounds, "rounds", 0, "iterations, K")
	flags.IntVar(&f.sampled, "sampled", 1, "federated: users drawn each round, m")
	flags.IntVar(&f.takes, "participations", 0, "most participations of a node, K_i (default: all rounds)")
	flags.Float64SliceVar(&f.constants, "lipschitz", []float64{1}, "Lipschitz constant of the local objectives, L: one number, or one a node, which has its own loss then")
	flags.Float64Var(&f.gamma, "gamma", 0, "parameter of the proximal operators")
	flags.Float64Var(&f.sigma, "sigma", 0, "standard deviation of the noise eta")
	flags.Float64Var(&f.eps, "eps", 0, "find the smallest sigma for this epsilon instead")
	flags.Float64Var(&f.alpha, "alpha", 0, "Renyi order (then no delta)")
	flags.Float64Var(&f.delta, "delta", 1e-6, "delta")
	required(cmd, "nodes", "rounds", "gamma")
	return cmd
}

func (f *admmFlags) metric() privacy.Metric {
	if f.alpha != 0 {
		return privacy.Metric{Order: f.alpha}
	}
	return privacy.Metric{Delta: f.delta}
}

func (f *admmFlags) run(cmd *cobra.Command) error {
	if err := form.OneOf("--variant", f.variant, "central", "federated", "decentralised"); err != nil {
		return err
	}
	if f.takes == 0 {
		f.takes = f.rounds
	}
	if len(f.constants) == 0 || len(f.constants) > 1 && len(f.constants) != f.nodes {
		return fault.New(fmt.Sprintf("--lipschitz: %d constants of %d nodes", len(f.constants), f.nodes), "give one, or one a node")
	}
	f.lipschitz = slices.Max(f.constants)
	a := admmloss.Consensus{Lipschitz: f.lipschitz, Gamma: f.gamma, Sigma: f.sigma}
	var b bill
	if f.eps != 0 {
		f.calibrate(&b, a)
		return b.show(cmd)
	}
	loss, claim, err := a.Local(f.takes, f.metric())
	line := lost("sound", claim, loss, f.metric())
	if len(f.constants) > 1 && err == nil {
		line, err = eachLost("sound", claim, f.constants, f.metric(), remembered(func(_ int, lipschitz float64) (float64, error) {
			own := a
			own.Lipschitz = lipschitz
			loss, _, err := own.Local(f.takes, f.metric())
			return loss, err
		}))
	}
	b.add(privacy.Sound, line, err)
	f.published(&b, a)
	return b.show(cmd)
}

func (f *admmFlags) calibrate(b *bill, a admmloss.Consensus) {
	noise, cal, err := a.LocalTight(f.takes, f.eps, f.metric())
	unit := a.WithMultiplier(1).Sigma
	cal.Sigma, cal.Low = cal.Sigma*unit, cal.Low*unit
	b.add(privacy.Sound, tightened("sound", noise.Claim, cal), err)
}

// published adds the theorem of the variant, which is at a Renyi order, and for
// the federated one the numerical accountants.
func (f *admmFlags) published(b *bill, a admmloss.Consensus) {
	federated := admmloss.Federated{Consensus: a, Rounds: f.rounds, Sampled: f.sampled, Users: f.nodes}
	if f.variant == "federated" {
		loss, claim, err := federated.Subsampled(f.metric())
		b.add(privacy.Published, lost("published, numerically", claim, loss, f.metric()), err)
		if f.alpha == 0 {
			g, err := federated.Participations(f.delta)
			b.add(privacy.Sound, guaranteed("sound, participations", g), err)
		}
	}
	if f.alpha == 0 {
		b.add(privacy.Published, priced{Name: "published"}, fault.New("the theorem is about a Renyi order", "give --alpha"))
		return
	}
	loss, claim, err := f.theorem(a, federated)
	b.add(privacy.Published, lost("published", claim, loss, f.metric()), err)
}

func (f *admmFlags) theorem(a admmloss.Consensus, federated admmloss.Federated) (float64, privacy.Claim, error) {
	switch f.variant {
	case "central":
		return a.Central(f.rounds, f.nodes, f.alpha)
	case "federated":
		return federated.Published(f.alpha)
	}
	return a.Decentralised(f.takes, f.nodes, f.alpha)
}
