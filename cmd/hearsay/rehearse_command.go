package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

func newRehearseCommand() *cobra.Command {
	var q nodes.RehearseQuestion
	cmd := &cobra.Command{
		Use:   "rehearse FEDERATION.yaml|FOLDER|federation.txt",
		Short: "Simulate a federation before anybody joins: is joining worth it?",
		Long: "Rehearse runs the very spec, with its algorithm, schedule and noise, on rows that are made up in the\n" +
			"shape that the spec declares, or on files, and says for every participant whether joining is better\n" +
			"than its own rows alone, what each could learn about each, time, traffic, and whose policy refuses.\n\n" +
			"Nobody knows beforehand what everybody's rows are like: made-up rows are of several difficulties, with\n" +
			"participants alike and apart, and an answer is one only where all of them give it.\n\n" +
			"Before all have accepted it takes the folder of hearsay federation, or an invitation as it came: with what\n" +
			"participants have said, and a usual number of rows (--rows) of who has said nothing.\n\n" +
			"  hearsay rehearse spec.yaml --out rehearsal\n" +
			"  hearsay rehearse spec.yaml --data lyon=lyon.csv --policy lyon=lyon.policy.yaml\n" +
			"  hearsay rehearse heart --participants 4 --rows 300\n" +
			"  hearsay rehearse spec.yaml --data public.csv --trials 50 --out page.html",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Rehearse(askerOf(cmd), args) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&q.Data, "data", nil, "NAME=FILE.csv of a participant, repeatable; or one FILE.csv whose rows are shared out to all")
	written(cmd, &q.Table)
	flags.IntVar(&q.Options.Trials, "trials", 0, "trials in each world (default: as many as a minute allows, 20 at most)")
	flags.IntVar(&q.Options.Rows, "rows", 0, "rows of a participant whose number the spec does not state (default 100)")
	flags.IntVar(&q.Participants, "participants", 3, "number of participants, where nobody has been invited yet")
	flags.StringSliceVar(&q.Options.Difficulties, "difficulty", nil, "difficulty of made-up rows: easy, middling or hard (default: all three)")
	flags.StringArrayVar(&q.Policies, "policy", nil, "NAME=FILE, or FILE for NAME.policy.yaml; else those beside the spec; repeatable")
	flags.Float64Var(&q.Options.LeastGain, "least-gain", 0, "least gain that is worth joining for: in balanced accuracy, or as a share of the error of learning alone (default 0.01)")
	flags.DurationVar(&q.Options.Latency, "latency", 0, "time that a message takes, for the estimate of the duration (default 50ms)")
	flags.BoolVar(&q.Options.WhatWouldHelp, "what-would-help", false, "where nobody gains, rehearse larger losses, more rows, more participants and another unit too, which takes some times as long")
	flags.StringVar(&q.Score, "score", "own", "test rows for the score of each participant: own or all")
	flags.StringVar(&q.Out, "out", "", "folder for rehearsal.html and rehearsal.json, or the page alone: FILE.html")
	settings(cmd, &q.Set)
	programs(cmd, &q.Model)
	registerCache(cmd, &q.Cache)
	return cmd
}
