package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/sweeps"
)

func registerPairs(cmd *cobra.Command, f *sweeps.PairQueue) {
	cmd.Flags().IntVar(&f.Workers, "workers", runtime.GOMAXPROCS(0), "with --queue or --nats: processes on this machine")
	registerQueue(cmd, &f.QueueQuestion)
}
