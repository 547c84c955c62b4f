package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newLedgerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "ledger", Short: "Read what a node has released", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(&cobra.Command{
		Use:   "show FILE",
		Short: "List every value that a node has let out",
		Long: "Show lists the releases of a ledger, oldest first: when, at which turn, to whom,\n" +
			"with how much noise. FILE may be the node's folder. With --json it prints one array.\n" +
			"Where participants may miss steps (algorithm.absent), a row to the node itself is no\n" +
			"message. With data used it charges a value that came late; without, the run has ended.",
		Args: argument("ledger"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return nodes.ShowLedgerOf(askerOf(cmd), args[0])
		},
	}, &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that a ledger is whole and nothing in it was changed",
		Long: "Verify follows the chain of hashes from the first entry to the last. Of a node's folder\n" +
			"it also says what was spent, how often the data was used of how often it was planned,\n" +
			"and whether the run has ended, and it fails where spec, plan, signed statement or model\n" +
			"beside the ledger say something else. What stands in report.json, metrics.json and the\n" +
			"page besides is not signed: make them anew, by starting the node again. Its owner can\n" +
			"write a whole chain anew, and that verifies too. What finds it: the ledgers of\n" +
			"those who received its values (hearsay ledger compare), the end of the ledger in\n" +
			"its signed statement, and its neighbours, whose nodes refuse one that is older.",
		Args: argument("ledger"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return nodes.VerifyLedger(askerOf(cmd), args[0])
		},
	}, &cobra.Command{
		Use:   "compare FILE FILE...",
		Short: "Hold ledgers of one run against each other: what each sent, and what the others received of it",
		Long: "Compare verifies ledgers of one run and looks up every value that one of them\n" +
			"received, by its hash, in the ledger of its sender. It fails where that does not\n" +
			"hold it: the sender's was written anew, or the receiver's. A value that was released\n" +
			"and not received was on its way when a ledger was copied, or got lost. FILE may be\n" +
			"a node's folder, or a backup.",
		Example: "  hearsay ledger compare hearsay-lyon hearsay-nice nancy.db",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return nodes.CompareLedgers(askerOf(cmd), args)
		},
	}, &cobra.Command{
		Use:   "backup FILE COPY",
		Short: "Copy a ledger, also one that a node is using",
		Long: "Backup writes a verified copy of a ledger to the new file COPY, or into the folder\n" +
			"COPY. The copy is one file and needs no other. A node may go on meanwhile. FILE may\n" +
			"be the node's folder. A backup is for reading, and for a disk that was lost before\n" +
			"anything else was released: an older one is refused by the node's neighbours.",
		Args: exactly(2, "a ledger and where to put its copy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answering(func() (nodes.BackedUp, error) { return nodes.BackUpLedger(args[0], args[1]) })(cmd, args)
		},
	})
	return cmd
}
