package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newFederationSign() *cobra.Command {
	var flags nodes.SignQuestion
	cmd := &cobra.Command{
		Use:   "sign FOLDER|SPEC.yaml [TEXT...]",
		Short: "Sign the spec that all have accepted, if the own policy accepts its plan",
		Long: "Sign holds what joining would cost against the participant's own policy, which is\n" +
			"looked for beside its key (NAME.policy.yaml), and signs the spec's hash if nothing\n" +
			"speaks against it. All of the plan is then charged in the budget book beside the key\n" +
			"(hearsay budget). TEXT is added first. Once all have signed, nodes start.\n\n" +
			"Of a spec that was written by hand it prints the line that goes under signatures:\n" +
			"with --name and --key. With federation: {signed: required} nodes want everybody's.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.Sign(askerOf(cmd), args) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.Policy, "policy", "", "policy file of this participant (default NAME.policy.yaml beside the key)")
	f.StringVar(&flags.Name, "name", "", "name of the participant who signs (only for a spec written by hand)")
	f.StringVar(&flags.Key, "key", "", "key file of the participant (only for a spec written by hand; default NAME.key)")
	f.StringVar(&flags.Data, "data", "", "CSV file for the fingerprint in the budget book (only for a spec written by hand)")
	dataSet(cmd, &flags.DataSet)
	keepFlag(cmd, &flags.Keep)
	return cmd
}
