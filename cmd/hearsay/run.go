package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

func newRunCommand() *cobra.Command {
	var out string
	var set []string
	var cache cacheFlag
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
	cache.register(cmd)
	return cmd
}

// runSpec runs s, writes out if it is not empty and prints the summary.
func runSpec(cmd *cobra.Command, s *spec.Spec, out string, cache cacheFlag) error {
	bundle, err := execute(cmd, s, out, cache)
	if err != nil {
		return err
	}
	if wantJSON(cmd) {
		return printJSON(cmd, bundle.Result)
	}
	if err := report.Table(cmd.OutOrStdout(), bundle.Result, colours(cmd.OutOrStdout())); err != nil {
		return err
	}
	if out != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "\nThe page is %s/report.html\n", out)
	}
	return nil
}

// execute runs s with progress on stderr and writes out if it is not empty. What
// accounting finds is kept beside out until that is written, unless cache says
// where.
func execute(cmd *cobra.Command, s *spec.Spec, out string, cache cacheFlag) (*report.Bundle, error) {
	beside := ""
	if out != "" {
		if err := report.CheckDir(out); err != nil {
			return nil, err
		}
		beside = filepath.Clean(out) + ".accounting"
	}
	watch, err := cache.watch(cmd, beside)
	if err != nil {
		return nil, err
	}
	ctx := experiment.Watching(cmd.Context(), watch)
	stderr := cmd.ErrOrStderr()
	stage := func(what string) { fmt.Fprintln(stderr, what) }
	setup, err := experiment.Prepare(ctx, s, stage)
	if err != nil {
		return nil, err
	}
	progress, wipe := newProgress(stderr)
	bundle, err := setup.Run(ctx, progress)
	wipe()
	if err != nil {
		return nil, err
	}
	progress, wipe = newProgress(stderr)
	bundle.Result.Baselines, err = setup.Compare(ctx, bundle.Result, stage, progress)
	wipe()
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
	forget(beside)
	return bundle, nil
}

// newProgress draws a bar on a terminal, and prints a line every few seconds
// elsewhere. What is printed after wipe has a line of its own.
func newProgress(w io.Writer) (progress experiment.Progress, wipe func()) {
	if isTerminal(w) {
		return barProgress(w, time.Now)
	}
	return lineProgress(w, time.Now, 2*time.Second), func() {}
}

// barProgress draws a bar with steps, rate, time left and loss.
func barProgress(w io.Writer, now func() time.Time) (progress experiment.Progress, wipe func()) {
	began := now()
	bar := progressbar.NewOptions(1,
		progressbar.OptionSetWriter(w), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("steps"), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24))
	// A bar that cannot be drawn must not stop the run.
	progress = func(t experiment.Tick) {
		if t.Done == 0 {
			return
		}
		bar.ChangeMax(t.Total)
		_, left := pace(t, now().Sub(began))
		bar.Describe(fmt.Sprintf("loss %.4f, %s left", t.TrainLoss, left))
		_ = bar.Set(t.Done)
	}
	return progress, func() { _ = bar.Clear() }
}

func lineProgress(w io.Writer, now func() time.Time, every time.Duration) experiment.Progress {
	began := now()
	last := began
	return func(t experiment.Tick) {
		at := now()
		if at.Sub(last) < every && t.Done < t.Total || t.Done == 0 {
			return
		}
		last = at
		rate, left := pace(t, at.Sub(began))
		if t.Unit != "" {
			fmt.Fprintf(w, "%d of %d %s, %s left\n", t.Done, t.Total, t.Unit, left)
			return
		}
		fmt.Fprintf(w, "%d of %d steps, %.0f a second, %s left, loss %.4f\n", t.Done, t.Total, rate, left, t.TrainLoss)
	}
}

// pace is the steps a second so far, at least one, and the time left at that
// rate.
func pace(t experiment.Tick, spent time.Duration) (rate float64, left time.Duration) {
	rate = float64(t.Done) / max(spent.Seconds(), 1e-9)
	return rate, time.Duration(float64(t.Total-t.Done) / rate * float64(time.Second)).Round(time.Second)
}

func isTerminal(w io.Writer) bool {
	switch o := w.(type) {
	case *output:
		w = o.Writer
	case *pulse:
		w = o.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
