package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/calibration"
)

func registerTarget(cmd *cobra.Command, f *calibration.TargetQuestion) {
	flags := cmd.Flags()
	flags.Float64Var(&f.Mean, "mean", 0, "target of the mean over pairs")
	flags.Float64Var(&f.Worst, "max", 0, "target of the largest over pairs")
	flags.Float64Var(&f.Beyond, "max-beyond", 0, "target of the largest over pairs that no edge joins")
	flags.Float64Var(&f.Pair, "pair", 0, "target of one pair, named by --about and --observer")
	flags.StringVar(&f.About, "about", "", "with --pair: node whose data are at stake, by name or number")
	flags.StringVar(&f.Observer, "observer", "", "with --pair: node that observes")
	flags.Float64Var(&f.Neighbours, "neighbours", 0, "limit towards any one neighbour")
	flags.Float64Var(&f.Others, "others", 0, "limit towards anybody who is no neighbour")
	flags.StringVar(&f.Policy, "policy", "", "a participant's policy, whose limits towards neighbours and others are to be kept")
}
