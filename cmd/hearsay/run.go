package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

func newRunCommand() *cobra.Command {
	var out string
	var set []string
	var cache form.Cache
	cmd := &cobra.Command{
		Use:   "run SPEC.yaml",
		Short: "Simulate a federation and say who learnt what about whom",
		Long: "Run simulates the spec's trials, accounts for the privacy of every pair and\n" +
			"prints a summary. With --out it writes result.json, metrics.csv, privacy.csv,\n" +
			"the model, the resolved spec and report.html.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSpec(cmd.Context(), args[0], set...)
			if err != nil {
				return err
			}
			return runSpec(cmd, s, out, cache)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder for the results and the page")
	settings(cmd, &set)
	registerCache(cmd, &cache)
	return cmd
}

// runSpec runs s, writes out if it is not empty and prints the summary.
func runSpec(cmd *cobra.Command, s *spec.Spec, out string, cache form.Cache) error {
	bundle, err := execute(cmd, s, out, cache)
	if err != nil {
		return err
	}
	if wantJSON(cmd) {
		return printJSON(cmd, bundle.Result)
	}
	if err := report.Table(cmd.OutOrStdout(), bundle.Result, terminal.Colours(cmd.OutOrStdout())); err != nil {
		return err
	}
	if out != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "\nThe page is %s/report.html\n", out)
	}
	return nil
}

// execute runs s with progress on stderr and writes out if it is not empty.
func execute(cmd *cobra.Command, s *spec.Spec, out string, cache form.Cache) (*report.Bundle, error) {
	if out != "" {
		if err := report.CheckDir(out); err != nil {
			return nil, err
		}
	}
	ctx, err := cache.Watched(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	stderr := cmd.ErrOrStderr()
	note := newProgressNote(out, s.Name)
	defer note.remove()
	stage := func(what string) {
		fmt.Fprintln(stderr, what)
		note.stage(what)
	}
	setup, err := experiment.Prepare(ctx, s, stage)
	if err != nil {
		return nil, err
	}
	live := terminal.NewLiveLine(stderr)
	stage("training")
	bundle, err := setup.Run(ctx, note.training(training(live)))
	live.Wipe()
	if err != nil {
		return nil, err
	}
	live = terminal.NewLiveLine(stderr)
	bundle.Result.Baselines, err = setup.Compare(ctx, bundle.Result, stage, note.counting(training(live)))
	live.Wipe()
	if err != nil {
		return nil, err
	}
	if out == "" {
		return bundle, nil
	}
	stage("writing " + out)
	if err := report.WriteDir(cmd.Context(), out, bundle); err != nil {
		return nil, err
	}
	return bundle, nil
}
