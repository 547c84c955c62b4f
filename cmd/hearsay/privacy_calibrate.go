package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// calibrateFlags are what `privacy calibrate` is asked.
type calibrateFlags struct {
	targetFlags
	set        []string
	accountant string
	cache      form.Cache
}

func newPrivacyCalibrateCommand() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate SPEC.yaml [--mean X | --max X | --max-beyond X | --pair X --about U --observer V | --neighbours X --others X | --policy FILE]",
		Short: "Find the least noise that meets a target, by each accountant",
		Long: `Calibrate finds the smallest noise multiplier of each accountant that meets a
target, the spec's own unless one is given: the mean or the largest pairwise
loss, the largest between nodes that are no neighbours, the loss of one pair, or
limits by who observes, as a policy states them. Only sigmas of sound accountants
keep the promise.`,
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	f.register(cmd)
	settings(cmd, &f.set)
	flags.StringVar(&f.accountant, "accountant", "all", strings.Join(experiment.Accountants(), ", ")+" or all")
	registerCache(cmd, &f.cache)
	return cmd
}

// calibrateAnswer is the JSON of `privacy calibrate`.
type calibrateAnswer struct {
	Target       map[string]float64      `json:"target"`
	Says         string                  `json:"target_says"` // the same in words
	Metric       string                  `json:"metric"`
	Calibrations []experiment.Calibrated `json:"calibrations"`
	Least        *leastSound             `json:"least_sound,omitempty"` // none: no sound accountant meets it
}

// A leastSound is the least noise that a sound accountant asks for.
type leastSound struct {
	Accountant string  `json:"accountant"`
	Sigma      float64 `json:"sigma"`
}

func newLeastSound(list []experiment.Calibrated) (least *leastSound) {
	for _, c := range list {
		if len(c.Losses) > 0 && c.Losses[0].Status == report.Sound && (least == nil || c.Sigma < least.Sigma) {
			least = &leastSound{c.Accountant, c.Sigma}
		}
	}
	return least
}

func (f *calibrateFlags) run(cmd *cobra.Command, path string) error {
	s, err := loadSpec(cmd.Context(), path, f.set...)
	if err != nil {
		return err
	}
	accountants, err := f.choose(s)
	if err != nil {
		return err
	}
	target, err := f.target(cmd, s)
	if err != nil {
		return err
	}
	say := func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) }
	ctx, err := f.cache.Watched(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	setup, err := experiment.Open(ctx, s, say)
	if err != nil {
		return err
	}
	say("calibrating on " + strings.Join(accountants, ", "))
	list, err := setup.Calibrate(cmd.Context(), accountants, target)
	if err != nil {
		return err
	}
	answer := calibrateAnswer{target.Losses(), target.String(), s.Privacy.Metric.String(), list, newLeastSound(list)}
	if wantJSON(cmd) {
		return printJSON(cmd, answer)
	}
	return answer.Print(cmd.OutOrStdout())
}

// choose are the accountants that the flags ask for.
func (f *calibrateFlags) choose(s *spec.Spec) ([]string, error) {
	accountants := s.Kind().Accountants
	if f.accountant != "all" {
		if !slices.Contains(accountants, f.accountant) {
			return nil, fault.New(fmt.Sprintf("--accountant: %q is not known", f.accountant), "use one of all, "+strings.Join(accountants, ", "))
		}
		accountants = []string{f.accountant}
	}
	return accountants, nil
}

// Print writes a table for people: one line for what each accountant says at
// each sigma.
func (a calibrateAnswer) Print(w io.Writer) error {
	fmt.Fprintf(w, "The least noise for %s, %s\n\n", a.Says, a.Metric)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "calibrated on\tsigma\tcosts, says\tmean\tworst\tbeyond neighbours")
	for _, c := range a.Calibrations {
		if c.Refused != "" {
			fmt.Fprintf(t, "%s\tnone: %s\n\t(%s)\n", c.Accountant, c.Refused, c.Hint)
		}
		for i, l := range c.Losses {
			name, sigma := c.Accountant, report.Upwards(c.Sigma, 6)
			if i > 0 {
				name, sigma = "", ""
			}
			fmt.Fprintf(t, "%s\t%s\t%s (%s)\t%s%s\t%s\t%s\n", name, sigma, l.Accountant, l.Status, form.Loss(l.Mean, l.Status), l.MeanNote(), form.Loss(l.Max, l.Status), beyond(l))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return a.printBrackets(w)
}

// printBrackets says how far each search for sigma went.
func (a calibrateAnswer) printBrackets(w io.Writer) error {
	if a.Least != nil {
		fmt.Fprintf(w, "\nThe least noise that a sound accountant asks for is %s, by %s.\n", report.Upwards(a.Least.Sigma, 6), a.Least.Accountant)
	}
	fmt.Fprintln(w, "\nThe target is met at the upper end of a bracket, and missed at the lower.")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range a.Calibrations {
		if c.Bracket != nil {
			fmt.Fprintf(t, "%s\tsigma from %.13g\tto %s\n", c.Accountant, c.Bracket.Low, report.Upwards(c.Bracket.High, 13))
		}
	}
	return t.Flush()
}
