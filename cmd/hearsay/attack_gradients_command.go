package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/reconstruction"
)

func newAttackGradientsCommand() *cobra.Command {
	f := &reconstruction.Question{}
	cmd := &cobra.Command{
		Use:   "gradients SPEC.yaml",
		Short: "Reconstruction from gossip that learns: gradients, and the examples behind them",
		Long: `Gradients runs the spec once and attacks what the attackers' machines receive (002,
section 4.4): from messages to gradients by least squares, from gradients to
examples in closed form, or of a convnet by search. Without noise the attackers refine what they find by running
the protocol with it, and take the run apart node by node: what a node whose example is known must have received tells
of those behind it, exactly; what is left they look for in all that is known of it at once, for two to five minutes of a processor (--work). Of a loss of the margin
it does so in as many coordinates as messages have directions, however wide the table is. Without --attackers every node attacks alone, on graphs of
up to 64 nodes, else the one with most neighbours.

It says of each node who could reconstruct it, the smallest coalition that could if
no neighbour helps, and what stops it: noise, and the removal of an edge. With
noise, no unbiased estimate of a gradient is nearer than the floor that the sound
accountant sets.

With --out it writes a page, which shows images as pictures: a file that ends in .html,
or a folder, which gets result.json and report.html.`,
		Example: `  hearsay attack gradients spec.yaml
  hearsay attack gradients spec.yaml --attackers Medici --out out/attack
  hearsay attack gradients spec.yaml --attackers 0,3 --set privacy.sigma=0 --json`,
		Args: argument("spec file"),
	}
	cmd.RunE = onSpec(cmd, &f.SpecQuestion, "", f.Answer)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Attackers, "attackers", nil, "`names` of nodes that pool what they receive, with commas; repeatable")
	flags.StringVar(&f.Method, "method", "", "ols or gls; without one, whichever suits")
	flags.Float64Var(&f.Work, "work", 1, "how much longer than two to five minutes of a processor examples may be looked for that do not follow step by step: 10, ten times as long")
	return cmd
}
