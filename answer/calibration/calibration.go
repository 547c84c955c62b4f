package calibration

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Question holds the settings of `hearsay privacy calibrate`.
type Question struct {
	TargetQuestion
	Set        []string
	Accountant string
	Cache      form.Cache
}

// An Answer is the JSON answer of `hearsay privacy calibrate`.
type Answer struct {
	Target       map[string]float64      `json:"target"`
	Says         string                  `json:"target_says"` // the same in words
	Metric       string                  `json:"metric"`
	Calibrations []experiment.Calibrated `json:"calibrations"`
	Least        *LeastSound             `json:"least_sound,omitempty"` // nil if no sound accountant meets the target
}

// A LeastSound is the least noise that a sound accountant asks for.
type LeastSound struct {
	Accountant string  `json:"accountant"`
	Sigma      float64 `json:"sigma"`
}

func newLeastSound(list []experiment.Calibrated) (least *LeastSound) {
	for _, c := range list {
		if len(c.Losses) > 0 && c.Losses[0].Status == report.Sound && (least == nil || c.Sigma < least.Sigma) {
			least = &LeastSound{c.Accountant, c.Sigma}
		}
	}
	return least
}

// Ask calibrates the spec in the file at path with every chosen accountant, and shows the noise that each requires.
func (f *Question) Ask(ask form.Asker, path string) error {
	s, err := form.LoadSpec(ask.Context, path, f.Set...)
	if err != nil {
		return err
	}
	accountants, err := f.choose(s)
	if err != nil {
		return err
	}
	target, err := f.target(ask, s)
	if err != nil {
		return err
	}
	say := func(what string) { fmt.Fprintln(ask.Stderr, what) }
	ctx, err := f.Cache.Watched(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	setup, err := experiment.Open(ctx, s, say)
	if err != nil {
		return err
	}
	say("calibrating on " + strings.Join(accountants, ", "))
	list, err := setup.Calibrate(ask.Context, accountants, target)
	if err != nil {
		return err
	}
	answer := Answer{target.Losses(), target.String(), s.Privacy.Metric.String(), list, newLeastSound(list)}
	if ask.JSON {
		return ask.Value(answer)
	}
	return answer.Print(ask.Stdout)
}

// choose returns the accountants that --accountant selects: one, or every accountant of the spec's algorithm.
func (f *Question) choose(s *spec.Spec) ([]string, error) {
	accountants := s.Kind().Accountants
	if f.Accountant != "all" {
		if !slices.Contains(accountants, f.Accountant) {
			return nil, fault.New(fmt.Sprintf("--accountant: %q is not known", f.Accountant), "use one of all, "+strings.Join(accountants, ", "))
		}
		accountants = []string{f.Accountant}
	}
	return accountants, nil
}

// Print writes a table for people: one line for the losses of each accountant at each sigma.
func (a Answer) Print(w io.Writer) error {
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
			fmt.Fprintf(t, "%s\t%s\t%s (%s)\t%s%s\t%s\t%s\n", name, sigma, l.Accountant, l.Status, form.Loss(l.Mean, l.Status), l.MeanNote(), form.Loss(l.Max, l.Status), form.BeyondOf(l))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return a.printBrackets(w)
}

// printBrackets writes the least sound sigma and the bracket at which each search for sigma ended.
func (a Answer) printBrackets(w io.Writer) error {
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
