package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
)

func newPrivacyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "privacy",
		Short: "Account for an algorithm on a graph, calibrate its noise, audit the claims",
		Long: "Privacy prices one algorithm for every pair of nodes. Each number says whether it\n" +
			"is published (a paper's formula), sound (a bound), sound if (a bound if something\n" +
			"is true that the command cannot see, such as what a model guarantees) or audit (a\n" +
			"lower bound), and what it assumes. hearsay plan SPEC knows the model.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPrivacyWalkCommand(), newPrivacyGossipCommand(), newPrivacyFlowCommand(), newPrivacyPairwiseCommand())
	cmd.AddCommand(newPrivacyCalibrateCommand(), newPrivacyAuditCommand(), newPrivacyClaimsCommand(), newPrivacyExplainCommand(), newPrivacyCacheCommand())
	cmd.AddCommand(newPrivacyRingCommand(), newPrivacyCompleteCommand(), newPrivacyADMMCommand(), newPrivacyGammaCommand(),
		newPrivacyConvertCommand())
	for _, sub := range cmd.Commands() {
		sub.RunE = interruptible(sub.RunE)
	}
	return cmd
}

// interruptible returns run, ended as soon as the command's context ends. Accountants themselves check
// no context.
func interruptible(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return experiment.Within(cmd.Context(), func() error { return run(cmd, args) })
	}
}

// must panics on an error that only a programmer can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// registerGraph adds the flags of a question about a graph.
func registerGraph(cmd *cobra.Command, o *form.GraphQuestion) {
	offerGraph(cmd, o)
	must(cmd.MarkFlagRequired("graph"))
}

// offerGraph adds the flags of registerGraph, but does not require --graph.
func offerGraph(cmd *cobra.Command, o *form.GraphQuestion) {
	cmd.Flags().StringVar(&o.Graph, "graph", "", "generator such as hypercube:11, or a graph file")
	cmd.Flags().StringVar(&o.Weights, "weights", "", "transition matrix: hamilton, metropolis, max-degree, uniform, lazy:P, edges (of a graph file with weights), or the file of one: CSV, Matrix Market or npz (default hamilton; directed graphs: uniform)")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of random graphs and of simulated paths")
	registerDirected(cmd, &o.Directed)
}

// registerDirected adds the flag for the direction of the edges of a graph file.
func registerDirected(cmd *cobra.Command, directed *bool) {
	cmd.Flags().BoolVar(directed, "directed", false, "with a graph file: read lines as arrows; --directed=false reads arrows as edges both ways (default: as the file says)")
}
