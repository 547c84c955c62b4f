package main

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/studies"
)

func newPapersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "papers",
		Short: "Reproduce figures and tables of the papers",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPapersList(), newPapersRun())
	return cmd
}

func newPapersList() *cobra.Command {
	return &cobra.Command{
		Use:   "list [WORD...]",
		Short: "List what can be reproduced, or what has all of some words",
		RunE:  func(cmd *cobra.Command, args []string) error { return studies.ListStudies(askerOf(cmd), args) },
	}
}

func newPapersRun() *cobra.Command {
	var q studies.RunQuestion
	cmd := &cobra.Command{
		Use:     "run ID|WORD...|all",
		Short:   "Run one figure or table, or all, and put the paper's numbers beside ours",
		Example: "  hearsay papers run 002-figure-6.1b --data data --out out\n  hearsay papers run muffliato figure 1 --data data --quick",
		Long: "Run computes a study, says of each claim of the paper whether it came out, and which\n" +
			"stand with losses that are true. With --out it writes tables, figures and a page.\n" +
			"Of all studies, those that --out has from the same program are not run again, so that\n" +
			"the command goes on where it was stopped, and those whose data are missing are skipped.\n" +
			"Several studies run side by side, and are told of one after the other.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("hearsay papers run takes an ID of hearsay papers list, words such as muffliato figure 1, or all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return q.RunAll(askerOf(cmd), args) },
	}
	cmd.Flags().StringVar(&q.F.Data, "data", "data", "folder of the data sets, as hearsay data fetch fills it")
	cmd.Flags().BoolVar(&q.F.Quick, "quick", false, "run a small version, in seconds")
	cmd.Flags().StringVar(&q.F.Out, "out", "", "folder for tables (CSV), figures (SVG) and pages")
	cmd.Flags().StringVar(&q.F.Summary, "summary", "", "Markdown file for the summary of all results")
	cmd.Flags().IntVar(&q.F.Workers, "workers", min(runtime.GOMAXPROCS(0), studies.MostStudies), "studies side by side")
	onEveryProcessor(cmd)
	registerCache(cmd, &q.F.Cache)
	return cmd
}
