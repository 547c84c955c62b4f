package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/sweeps"
)

func newWorkerCommand() *cobra.Command {
	var q sweeps.WorkQuestion
	cmd := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Take cells of sweeps, and blocks of pairs, from a queue",
		Long: "Worker runs what hearsay sweep --queue and hearsay plan --queue give out, on any number of\n" +
			"machines, until it is stopped. Each process has one cell at a time; where one dies, another\n" +
			"takes its cell. Only processes of the very same program take part, on processors that\n" +
			"calculate alike: results are the same bits wherever they are found.\n\n" +
			"  hearsay sweep spec.yaml --vary 'privacy.sigma=[1, 2, 4]' --out out --queue --listen 10.0.0.1:4222\n" +
			"  hearsay worker --nats nats://10.0.0.1:4222 --nats-secret worker.secret     (on another machine)",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return q.Work(askerOf(cmd), args) },
	}
	registerServer(cmd, &q.Server)
	cmd.Flags().IntVar(&q.Workers, "workers", runtime.GOMAXPROCS(0), "processes, each with a cell at a time")
	onEveryProcessor(cmd)
	cmd.Flags().StringVar(&q.Dir, "dir", "", "folder that keeps the data of sweeps (default: one that is removed at the end)")
	registerCache(cmd, &q.Cache)
	cmd.Flags().BoolVar(&q.Attached, "attached", false, "")
	cmd.Flags().BoolVar(&q.Passing, "passing", false, "")
	for _, name := range []string{"attached", "passing"} {
		_ = cmd.Flags().MarkHidden(name)
	}
	return cmd
}
