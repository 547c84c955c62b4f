package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/runs"
)

func newPlanCommand() *cobra.Command {
	var q runs.PlanQuestion
	cmd := &cobra.Command{
		Use:   "plan SPEC.yaml",
		Short: "Say what every pair would lose and what a run would cost, before it runs",
		Long: "Plan reads the data and the graph, sets the noise and accounts for every pair,\n" +
			"but trains nothing: losses by distance, the utility that Theorem 2 promises,\nhops and bytes.\n" +
			"hearsay design chooses a plan from what participants accept.\n\n" +
			"Of a federation, --name says what one participant would lose, without any data;\n" +
			"--policy holds that against what it accepts, and fails where it is more.\n\n" +
			"With --queue, or --nats, all pairs of a large graph are priced by processes, --workers of them\n" +
			"here and any number on other machines (hearsay worker): the same bits. --cache keeps what they\n" +
			"find, for run and privacy walk too.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Plan(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.Name, "name", "", "participant of a federation")
	cmd.Flags().IntVar(&q.Rows, "rows-each", 0, "also price a person who gave so many rows of one participant")
	cmd.Flags().StringVar(&q.PolicyFile, "policy", "", "file that says what the participant accepts")
	settings(cmd, &q.Set)
	registerCache(cmd, &q.Cache)
	registerPairs(cmd, &q.Queued)
	return cmd
}
