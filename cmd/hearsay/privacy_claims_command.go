package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/pair"
)

func newPrivacyClaimsCommand() *cobra.Command {
	var f pair.ClaimsQuestion
	cmd := &cobra.Command{
		Use:   "claims SPEC.yaml CLAIMS.csv",
		Short: "Hold claims about pairs against a spec: proved, refuted or open",
		Long: `Claims reads a table with the columns u (whose data), v (who observes), epsilon and
delta, and holds each line against the run of a spec, at the noise that the spec has:
proved if a sound accountant says no more, refuted if an attack learns more, and
else open. With --runs a black box tries what is open; of all that it refutes
together not one is wrongly so, with the confidence. The exit code says if any is refuted.`,
		Example: "  hearsay privacy claims spec.yaml claims.csv --runs 2000",
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.Ask(askerOf(cmd), args[0], args[1]) },
	}
	settings(cmd, &f.Set)
	registerCache(cmd, &f.Cache)
	cmd.Flags().IntVar(&f.Runs, "runs", 0, "runs of a black box in each of two worlds, for each claim that is open otherwise (0: none)")
	cmd.Flags().Float64Var(&f.Confidence, "confidence", 0.99, "with which no claim is refuted wrongly")
	return cmd
}
