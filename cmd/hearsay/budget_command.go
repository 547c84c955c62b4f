package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

// dataSet adds the flag with which an owner names a set of rows.
func dataSet(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "dataset", "", "your name for these rows: runs on other names do not count with them, runs without a name count with all")
}

func newBudgetCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "budget", Short: "Add up what all runs on the same rows have cost", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(newBudgetShow(), newBudgetCheck(), newBudgetSettle())
	return cmd
}

func newBudgetShow() *cobra.Command {
	var flags nodes.BudgetQuestion
	cmd := &cobra.Command{
		Use:   "show KEY",
		Short: "List the runs in the budget book of a key, and what they come to together",
		Long: "Show lists all federations that were signed with a key and what each may tell, or has\n" +
			"told where its run is over. Below stands what they come to together: towards one\n" +
			"participant of each run, the one that learns most there, all of these together; and\n" +
			"towards everybody. Losses compose as Gaussians and moments, epsilons do not just add.\n" +
			"The book is beside the key: lyon.budget.db of lyon.key.",
		Example: "  hearsay budget show lyon.key\n  hearsay budget show lyon.key --delta 1e-5 --json",
		Args:    argument("key file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.Show(askerOf(cmd), args[0])
		},
	}
	f := cmd.Flags()
	f.Float64Var(&flags.Delta, "delta", 0, "of the epsilons (default that of total in the policy, else the largest in the book)")
	f.StringVar(&flags.Policy, "policy", "", "whose total is held against it (default NAME.policy.yaml beside the key, if there is one)")
	return cmd
}

func newBudgetCheck() *cobra.Command {
	var flags nodes.BudgetQuestion
	cmd := &cobra.Command{
		Use:   "check FOLDER|SPEC.yaml",
		Short: "Say what a federation would add to the budget book",
		Long: "Check prices a federation for one participant and adds it to the runs on the same rows.\n" +
			"It fails where the policy would be exceeded, and charges nothing.",
		Example: "  hearsay budget check spec.yaml --name lyon\n  hearsay budget check heart --policy strict.yaml",
		Args:    argument("spec file, or the folder of a federation that is assembled"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.Check(askerOf(cmd), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.Name, "name", "", "name of the participant, where a spec is given")
	f.StringVar(&flags.Key, "key", "", "of a spec: its key file (default NAME.key)")
	f.StringVar(&flags.Policy, "policy", "", "policy file of this participant (default NAME.policy.yaml beside the key)")
	dataSet(cmd, &flags.DataSet)
	return cmd
}

func newBudgetSettle() *cobra.Command {
	var flags nodes.BudgetQuestion
	cmd := &cobra.Command{
		Use:   "settle FOLDER|SPEC.yaml",
		Short: "Give back what a run did not use, or charge one that the book does not know",
		Long: "Settle reads the ledger of a node that has stopped, FOLDER. Of a run that has ended it\n" +
			"gives back what was not used; nodes do so by themselves when they stop. One that the\n" +
			"book does not know is charged. With --close a run that has not ended is over too: what\n" +
			"its ledger holds stays charged, and no node goes on with it. Of a spec that was signed\n" +
			"and never began, SPEC.yaml, all is given back.",
		Example: "  hearsay budget settle hearsay-lyon --key lyon.key\n  hearsay budget settle heart/spec.yaml --name lyon --key lyon.key --close",
		Args:    argument("folder of a node, or a spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.Settle(askerOf(cmd), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.Key, "key", "", "the participant's key file (default NAME.key)")
	f.StringVar(&flags.Name, "name", "", "name of the participant, where a spec is given")
	f.BoolVar(&flags.Close, "close", false, "give the run up; no node can go on with it")
	dataSet(cmd, &flags.DataSet)
	return cmd
}
