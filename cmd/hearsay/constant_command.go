package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newConstantCommand() *cobra.Command {
	var q nodes.ConstantQuestion
	cmd := &cobra.Command{
		Use:   "constant SPEC.yaml",
		Short: "Draw what a participant of a weighted walk shows of its data, once",
		Long: "Constant works out how fast the gradients of this participant's losses change,\n" +
			"draws a noisy value as the spec's algorithm.constants says, keeps it in the\n" +
			"folder and prints it. Asked again it prints the same value. Everybody's values go\n" +
			"into the spec, as constant: of each participant, before anybody starts a node.\n" +
			"What the value alone tells everybody is held against the policy, if there is one.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Show(askerOf(cmd), args) },
	}
	f := cmd.Flags()
	f.StringVar(&q.Name, "name", "", "name of this participant in the spec")
	f.StringVar(&q.Data, "data", "", "this participant's CSV file")
	written(cmd, &q.Table)
	f.StringVar(&q.Dir, "dir", "", "folder for ledger and results of this participant (default hearsay-NAME)")
	f.StringVar(&q.Accepts, "policy", "", "what this participant accepts (default NAME.policy.yaml, if it is there)")
	for _, required := range []string{"name", "data"} {
		_ = cmd.MarkFlagRequired(required) // fails only for a flag that is not there
	}
	return cmd
}
