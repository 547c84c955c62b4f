package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/sweeps"
)

func registerPairs(cmd *cobra.Command, f *sweeps.PairQueue) {
	cmd.Flags().IntVar(&f.Workers, "workers", runtime.GOMAXPROCS(0), "with --queue or --nats: processes on this machine")
	onEveryProcessor(cmd)
	registerQueue(cmd, &f.QueueQuestion)
}

// onEveryProcessor has help say in words that --workers follows the machine, so that help and manual pages are
// the same on all machines.
func onEveryProcessor(cmd *cobra.Command) {
	cmd.Flags().Lookup("workers").DefValue = "one for each processor"
}
