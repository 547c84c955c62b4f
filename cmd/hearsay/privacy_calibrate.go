package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// calibrateFlags are what `privacy calibrate` is asked.
type calibrateFlags struct {
	mean, worst float64
	accountant  string
	cache       cacheFlag
}

func newPrivacyCalibrateCommand() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate SPEC.yaml [--mean X | --max X]",
		Short: "Find the least noise that meets a target, by each accountant",
		Long: `Calibrate finds the smallest noise multiplier of each accountant for which the
mean or the largest pairwise loss is at most the target, the spec's own unless
one is given. Only sigmas of sound accountants keep the promise.`,
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.mean, "mean", 0, "target of the mean over pairs")
	flags.Float64Var(&f.worst, "max", 0, "target of the largest over pairs")
	flags.StringVar(&f.accountant, "accountant", "all", strings.Join(experiment.Accountants(), ", ")+" or all")
	f.cache.register(cmd)
	return cmd
}

// calibrateAnswer is the JSON of `privacy calibrate`.
type calibrateAnswer struct {
	Target       map[string]float64      `json:"target"`
	Metric       string                  `json:"metric"`
	Calibrations []experiment.Calibrated `json:"calibrations"`
}

func (f *calibrateFlags) run(cmd *cobra.Command, path string) error {
	s, err := experiment.Load(path)
	if err != nil {
		return err
	}
	accountants, target, err := f.choose(s, cmd.Flags().Changed("mean"), cmd.Flags().Changed("max"))
	if err != nil {
		return err
	}
	say := func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) }
	watch, err := f.cache.watch(cmd, "")
	if err != nil {
		return err
	}
	setup, err := experiment.Open(experiment.Watching(cmd.Context(), watch), s, say)
	if err != nil {
		return err
	}
	say("calibrating on " + strings.Join(accountants, ", "))
	list, err := setup.Calibrate(cmd.Context(), accountants, target)
	if err != nil {
		return err
	}
	answer := calibrateAnswer{map[string]float64{"mean": target.Mean}, s.Privacy.Metric.String(), list}
	if target.Max != 0 {
		answer.Target = map[string]float64{"max": target.Max}
	}
	if wantJSON(cmd) {
		return printJSON(cmd, answer)
	}
	return answer.print(cmd.OutOrStdout())
}

// choose is what the flags ask for, over what the spec does.
func (f *calibrateFlags) choose(s *spec.Spec, mean, worst bool) ([]string, spec.Calibrate, error) {
	accountants := experiment.Accountants()
	if f.accountant != "all" {
		if !slices.Contains(accountants, f.accountant) {
			return nil, spec.Calibrate{}, fault.New(fmt.Sprintf("--accountant: %q is not known", f.accountant), "use one of all, "+strings.Join(accountants, ", "))
		}
		accountants = []string{f.accountant}
	}
	target, err := f.target(s, mean, worst)
	return accountants, target, err
}

func (f *calibrateFlags) target(s *spec.Spec, mean, worst bool) (spec.Calibrate, error) {
	if mean && worst {
		return spec.Calibrate{}, fault.New("both --mean and --max are given", "keep one of them")
	}
	for _, given := range []struct {
		flag   string
		set    bool
		value  float64
		target spec.Calibrate
	}{{"--mean", mean, f.mean, spec.Calibrate{Mean: f.mean}}, {"--max", worst, f.worst, spec.Calibrate{Max: f.worst}}} {
		if given.set && !(given.value > 0 && given.value <= 1e6) {
			return spec.Calibrate{}, fault.New(fmt.Sprintf("%s %g cannot be calibrated to", given.flag, given.value), "give a loss above 0, such as 1")
		}
		if given.set {
			return given.target, nil
		}
	}
	if s.Privacy.Calibrate == nil {
		return spec.Calibrate{}, fault.New("the spec has no privacy.calibrate, and neither --mean nor --max is given", "give a target, such as --mean 1")
	}
	return *s.Privacy.Calibrate, nil
}

// print writes a table for people: one line for what each accountant says at
// each sigma.
func (a calibrateAnswer) print(w io.Writer) error {
	for statistic, target := range a.Target {
		fmt.Fprintf(w, "The least noise for a %s of %g over all pairs, %s\n\n", statistic, target, a.Metric)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "calibrated on\tsigma\tcosts, says\tmean\tworst")
	for _, c := range a.Calibrations {
		if c.Refused != "" {
			fmt.Fprintf(t, "%s\tnone: %s\n\t(%s)\n", c.Accountant, c.Refused, c.Hint)
		}
		for i, l := range c.Losses {
			name, sigma := c.Accountant, report.Upwards(c.Sigma, 6)
			if i > 0 {
				name, sigma = "", ""
			}
			fmt.Fprintf(t, "%s\t%s\t%s (%s)\t%s%s\t%s\n", name, sigma, l.Accountant, l.Status, digits(l.Mean), l.MeanNote(), digits(l.Max))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return a.printBrackets(w)
}

// printBrackets says how far each search for sigma went.
func (a calibrateAnswer) printBrackets(w io.Writer) error {
	fmt.Fprintln(w, "\nThe target is met at the upper end of a bracket, and missed at the lower.")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range a.Calibrations {
		if c.Bracket != nil {
			fmt.Fprintf(t, "%s\tsigma from %.13g\tto %s\n", c.Accountant, c.Bracket.Low, report.Upwards(c.Bracket.High, 13))
		}
	}
	return t.Flush()
}
