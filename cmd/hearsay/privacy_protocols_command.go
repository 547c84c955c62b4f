package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/protocols"
)

func newPrivacyRingCommand() *cobra.Command {
	var f protocols.RingQuestion
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
		RunE: asking(&f.Asker, f.Answer),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Task, "task", "sum", "sum or histogram")
	flags.IntVar(&f.Nodes, "nodes", 0, "nodes on the ring")
	flags.IntVar(&f.Rounds, "rounds", 0, "rounds of the token, K")
	flags.IntVar(&f.Values, "values", 2, "histogram: number of values")
	flags.Float64Var(&f.Sigma, "sigma", 0, "sum: noise of one release over the largest change of one value")
	flags.Float64Var(&f.Eps, "eps", 0, "sum: find the smallest sigma for this epsilon instead")
	flags.Float64Var(&f.Local, "local", 0, "histogram: epsilon of one answer by itself")
	flags.Float64Var(&f.Delta, "delta", 1e-6, "delta in all")
	flags.BoolVar(&f.Spread, "spread", false, "sum: every node adds a share of the noise (Remark 5.6)")
	flags.BoolVar(&f.Final, "final", false, "the total is shown to everybody")
	flags.IntSliceVar(&f.Colluders, "colluders", nil, "sum: nodes that pool what they see (default: any single node)")
	sensitivityFlag(cmd, &f.Sensitivities, "sum")
	required(cmd, "nodes", "rounds")
	return cmd
}

func newPrivacyCompleteCommand() *cobra.Command {
	var f protocols.CompleteQuestion
	cmd := &cobra.Command{
		Use:   "complete --nodes N --steps T --delta D",
		Short: "What a token that walks on the complete graph tells",
		Long: `Complete prices a private sum, histogram or SGD whose token goes to a uniform node
each turn (002, Algorithms 7.1, D.1 and 7.2). --walks also simulates walks and
charges the cycles that occurred (Figure 7.1(b)). --known adds what contributions
beside the observer's own turns cost when nodes know whom they have the token from
and hand it to (Proposition D.14), to be added to accountants that hide it: those of
cycles, and the published ones. The other sound ones hide nothing of the path.`,
		Example: "  hearsay privacy complete --nodes 100 --steps 10000 --sigma 50 --walks 10\n" +
			"  hearsay privacy complete --task sgd --nodes 2000 --steps 20000 --contributions 12 --eps 1\n" +
			"  hearsay privacy complete --task histogram --nodes 500 --steps 5000 --local 0.4 --walks 1",
		Args: cobra.NoArgs,
		RunE: asking(&f.Asker, f.Answer),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Task, "task", "sum", "sum, histogram or sgd")
	flags.IntVar(&f.Nodes, "nodes", 0, "nodes")
	flags.IntVar(&f.Steps, "steps", 0, "turns of the token, T")
	flags.IntVar(&f.Contributions, "contributions", 0, "sgd: cap of a node's contributions (default: none)")
	flags.IntVar(&f.Values, "values", 2, "histogram: number of values")
	flags.Float64Var(&f.Sigma, "sigma", 0, "sum and sgd: noise of one contribution over its sensitivity")
	flags.Float64Var(&f.Eps, "eps", 0, "sum and sgd: find the smallest sigma for this epsilon instead")
	flags.Float64Var(&f.Local, "local", 0, "histogram: epsilon of one answer by itself")
	flags.Float64Var(&f.Delta, "delta", 1e-6, "delta in all")
	flags.IntVar(&f.Walks, "walks", 0, "simulate so many walks and charge what happened")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the simulated walks")
	flags.BoolVar(&f.Final, "final", false, "the last token is shown to everybody")
	flags.BoolVar(&f.Known, "known", false, "nodes know from and to whom the token goes")
	sensitivityFlag(cmd, &f.Sensitivities, "sum and sgd")
	required(cmd, "nodes", "steps")
	return cmd
}

func newPrivacyADMMCommand() *cobra.Command {
	var f protocols.ADMMQuestion
	cmd := &cobra.Command{
		Use:   "admm --variant V --nodes N --rounds K --lipschitz L --gamma G --sigma S",
		Short: "What private ADMM tells, with a curator, federated or decentralised",
		Long: `ADMM prices 002, Algorithms 8.2 (central), 8.3 (federated) and 8.4 (decentralised, on
the complete graph). --sigma is the standard deviation of eta; --eps finds the
smallest one for the local loss, which is the sound one. The loss is at --delta, or
the Renyi divergence of order --alpha.`,
		Example: "  hearsay privacy admm --variant federated --nodes 1000 --sampled 50 --rounds 100 --participations 5 --lipschitz 1 --gamma 0.1 --sigma 4 --alpha 2",
		Args:    cobra.NoArgs,
		RunE:    asking(&f.Asker, f.Answer),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Variant, "variant", "decentralised", "central, federated or decentralised")
	flags.IntVar(&f.Nodes, "nodes", 0, "nodes, users or records")
	flags.IntVar(&f.Rounds, "rounds", 0, "iterations, K")
	flags.IntVar(&f.Sampled, "sampled", 1, "federated: users drawn each round, m")
	flags.IntVar(&f.Takes, "participations", 0, "most participations of a node, K_i (default: all rounds)")
	flags.Float64SliceVar(&f.Constants, "lipschitz", []float64{1}, "Lipschitz constant of the local objectives, L: one number, or one a node, which has its own loss then")
	flags.Float64Var(&f.Gamma, "gamma", 0, "parameter of the proximal operators")
	flags.Float64Var(&f.Sigma, "sigma", 0, "standard deviation of the noise eta")
	flags.Float64Var(&f.Eps, "eps", 0, "find the smallest sigma for this epsilon instead")
	flags.Float64Var(&f.Alpha, "alpha", 0, "Renyi order (then no delta)")
	flags.Float64Var(&f.Delta, "delta", 1e-6, "delta")
	required(cmd, "nodes", "rounds", "gamma")
	return cmd
}

func newPrivacyGammaCommand() *cobra.Command {
	var f protocols.GammaQuestion
	cmd := &cobra.Command{
		Use:   "gamma --least A --most B, and two of --theta, --eps and --delta",
		Short: "What the Gamma mechanism tells about a positive number",
		Long: `Gamma prices the release of a number from a known range as a Gamma draw of that mean
(004, Definition 2): delta from theta and eps, eps from theta and delta, or the
smallest theta from eps and delta. Delta is exact; the tail bound of 004, Lemma 3 is
beside it, and the delta that no theta gets below.`,
		Example: "  hearsay privacy gamma --least 1 --most 2 --theta 2 --eps 1\n  hearsay privacy gamma --least 1 --most 2 --eps 3 --delta 0.03",
		Args:    cobra.NoArgs,
		RunE:    asking(&f.Asker, f.Answer),
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.Least, "least", 0, "smallest possible value, above 0")
	flags.Float64Var(&f.Most, "most", 0, "largest possible value")
	flags.Float64Var(&f.Theta, "theta", 0, "scale of the draw")
	flags.Float64Var(&f.Eps, "eps", 0, "epsilon")
	flags.Float64Var(&f.Delta, "delta", 0, "delta")
	required(cmd, "least", "most")
	return cmd
}

func newPrivacyConvertCommand() *cobra.Command {
	var f protocols.ConvertQuestion
	cmd := &cobra.Command{
		Use:   "convert --alpha A, and two of --rdp, --eps and --delta; or two of --mu, --eps and --delta; or --sigma or --noise-multiplier",
		Short: "Turn one kind of privacy loss into another, or noise from one convention into others",
		Long: `Convert finds the third of a Renyi loss at order --alpha, an epsilon and a delta, by
Mironov's conversion, by the tighter one of Canonne, Kamath and Steinke, and by the
tightest, which knows besides that delta is at most sqrt(1 - exp(-rdp)); or of mu, the
shift of a Gaussian view over its noise, an epsilon and a delta, exactly.

A noise multiplier is translated between conventions: --sigma is Hearsay's (unit:
record), over 2 x clip, for a row that is replaced; --noise-multiplier is that of Opacus
and TensorFlow Privacy, over clip, for a row that is added or removed. The noise is
the same, the privacy that each counts is not.`,
		Example: "  hearsay privacy convert --alpha 8 --rdp 0.5 --delta 1e-6\n  hearsay privacy convert --mu 0.3 --delta 1e-9\n" +
			"  hearsay privacy convert --eps 1 --delta 1e-6\n  hearsay privacy convert --noise-multiplier 1.1 --delta 1e-5 --rows 64",
		Args: cobra.NoArgs,
		RunE: asking(&f.Asker, f.Answer),
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.Alpha, "alpha", 0, "Renyi order, above 1")
	flags.Float64Var(&f.Rdp, "rdp", 0, "Renyi loss at that order")
	flags.Float64Var(&f.Mu, "mu", 0, "shift over noise of a Gaussian view")
	flags.Float64Var(&f.Eps, "eps", 0, "epsilon")
	flags.Float64Var(&f.Delta, "delta", 0, "delta")
	flags.Float64Var(&f.Noise.Sigma, "sigma", 0, "noise on a sum of clipped gradients over 2 x clip")
	flags.Float64Var(&f.Noise.Multiplier, "noise-multiplier", 0, "the same noise over clip")
	flags.Float64Var(&f.Noise.Clip, "clip", 0, "noise: norm that a row's gradient is clipped to")
	flags.IntVar(&f.Noise.Rows, "rows", 1, "noise: rows of a participant, to say what protects all of them")
	flags.IntVar(&f.Noise.Releases, "releases", 1, "noise: how often every row is used")
	return cmd
}

// sensitivityFlag adds the flag of the sensitivities of single nodes.
func sensitivityFlag(cmd *cobra.Command, of *[]float64, what string) {
	cmd.Flags().Float64SliceVar(of, "sensitivities", nil, what+": what each node can change, over what --sigma is a multiple of; one number a node, 1 at most")
}

// required marks flags as required.
func required(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		must(cmd.MarkFlagRequired(name))
	}
}
