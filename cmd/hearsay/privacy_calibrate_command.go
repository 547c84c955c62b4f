package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/calibration"
	"github.com/hearsay-dp/hearsay/experiment"
)

func newPrivacyCalibrateCommand() *cobra.Command {
	var f calibration.Question
	cmd := &cobra.Command{
		Use:   "calibrate SPEC.yaml [--mean X | --max X | --max-beyond X | --pair X --about U --observer V | --neighbours X --others X | --policy FILE]",
		Short: "Find the least noise that meets a target, by each accountant",
		Long: `Calibrate finds the smallest noise multiplier of each accountant that meets a
target, the spec's own unless one is given: the mean or the largest pairwise
loss, the largest between nodes that are no neighbours, the loss of one pair, or
limits by who observes, as a policy states them. Only sigmas of sound accountants
keep the promise.`,
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.Ask(askerOf(cmd), args[0]) },
	}
	flags := cmd.Flags()
	registerTarget(cmd, &f.TargetQuestion)
	settings(cmd, &f.Set)
	flags.StringVar(&f.Accountant, "accountant", "all", strings.Join(experiment.Accountants(), ", ")+" or all")
	registerCache(cmd, &f.Cache)
	return cmd
}
