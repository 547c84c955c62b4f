package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newFederationLeave() *cobra.Command {
	var q nodes.LeaveQuestion
	cmd := &cobra.Command{
		Use:   "leave DIR",
		Short: "End a participant's part in a run, and say what that costs and what stays",
		Long: "Leave ends this participant's part in the run of the folder DIR, whose node is stopped\n" +
			"first. From then on nothing of its data is contributed: the ledger refuses it, and the\n" +
			"signed statement says from which turn on. It costs what was spent, and takes nothing\n" +
			"back: whoever was sent its messages forgets nothing. The statement says what latecomers\n" +
			"can learn, where the flow accountant prices the run (hearsay forget).\n\n" +
			"Neighbours are told, for as long as --tell says, and pass it on: they stop at once with an\n" +
			"error that names who left, keep the model so far, and go on under a new spec (hearsay\n" +
			"federation new --from SPEC --without NAME). Where the token goes around who is missing\n" +
			"(unreachable: around, or a lease), or some may miss steps (algorithm.absent), they go\n" +
			"on. Other noise that cancels needs everybody: the participant that stays keeps it whole.\n\n" +
			"With --stay, in gossip that learns, the node goes on to the end without its data: it\n" +
			"adds its noise and passes on what others send, so that their run ends and their\n" +
			"guarantees hold. Walks, sums and admm have no such step.",
		Example: "  hearsay federation leave hearsay-lyon\n  hearsay federation leave hearsay-lyon --stay",
		Args:    argument("folder"),
		RunE:    func(cmd *cobra.Command, args []string) error { return q.Leave(askerOf(cmd), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&q.Key, "key", "", "key file of this participant (default NAME.key)")
	f.BoolVar(&q.Stay, "stay", false, "go on without data until the run ends, so that it does")
	f.DurationVar(&q.Tell, "tell", time.Minute, "for how long neighbours are told at most")
	f.StringSliceVar(&q.Listen, "listen", nil, "multiaddresses to listen on (default: those of the spec)")
	return cmd
}
