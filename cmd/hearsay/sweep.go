package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/sweep"
	"github.com/hearsay-dp/hearsay/sweep/cells"
	"github.com/hearsay-dp/hearsay/sweep/columnar"
)

func newSweepCommand() *cobra.Command {
	var vary, set []string
	var out string
	var workers int
	var cache form.Cache
	var queued queueFlags
	var check checked
	cmd := &cobra.Command{
		Use:   "sweep SPEC.yaml",
		Short: "Run a spec over a grid of settings and say what privacy costs",
		Long: "Sweep runs every combination of the values that some keys of a spec are to take, on all\n" +
			"cores, and writes one table (sweep.csv, sweep.parquet) and a page: scores over privacy losses, by\n" +
			"field, and the cells that no other beats. Cells that --out has are not run again.\n\n" +
			"  hearsay sweep spec.yaml --vary privacy.calibrate='[{mean: 0.5}, {mean: 1}, {mean: 2}]' \\\n" +
			"    --vary graph='[hypercube:6, \"er:n=64,p=0.2,connected\"]' --out sweeps/first\n" +
			"  hearsay sweep spec.yaml --vary privacy.sigma='{from: 1, to: 16, count: 5, scale: log}'\n\n" +
			"With --queue cells are given out to processes, --workers of them on this machine and any number\n" +
			"elsewhere (hearsay worker); with --nats through servers that are there already. The results are\n" +
			"the same bits. Losses that a worker sent are marked so, unless --price or --verify finds them here,\n" +
			"too. Whatever is stopped or lost, the same command goes on from the cells in --out.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case workers < 0:
				return fault.New(fmt.Sprintf("--workers %d", workers), "give how many cells run side by side, such as 2")
			case !(check.share >= 0 && check.share <= 1):
				return fault.New(fmt.Sprintf("--verify %g", check.share), "give a share of the cells from 0 to 1, such as 0.1")
			case (check.share > 0 || check.price) && !queued.given():
				return fault.New("--verify and --price are for cells that others run", "leave them out, or give --queue or --nats")
			}
			return runSweep(cmd, args[0], set, vary, out, workers, cache, queued, check)
		},
	}
	cmd.Flags().StringArrayVar(&vary, "vary", nil, "key and values: privacy.sigma=[1, 2, 4], or {from: 1, to: 16, count: 5, scale: log}; repeatable")
	cmd.Flags().StringVar(&out, "out", "", "folder for the cells, the table and the page")
	cmd.Flags().IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "cells side by side; of a queue, processes on this machine")
	cmd.Flags().Float64Var(&check.share, "verify", 0, "share of the cells of a queue that this process runs, too: a worker whose result is another one is named, and ends the sweep")
	cmd.Flags().BoolVar(&check.price, "price", false, "find the losses of a queue's cells here, too: without it they are marked as what a worker says, and no losses to rely on")
	settings(cmd, &set)
	registerCache(cmd, &cache)
	queued.register(cmd)
	return cmd
}

func runSweep(cmd *cobra.Command, path string, set, vary []string, out string, workers int, cache form.Cache, queued queueFlags, check checked) error {
	var fields []sweep.Field
	for _, text := range vary {
		f, err := sweep.ReadField(text)
		if err != nil {
			return err
		}
		fields = append(fields, f)
	}
	stamps, err := checkCells(cmd, path, set, fields)
	if err != nil {
		return err
	}
	if queued.given() && out == "" {
		return fault.New("a sweep that is given out keeps its cells in a folder", "give --out FOLDER")
	}
	if err := checkTable(out); err != nil {
		return err
	}
	ctx, err := cache.Watched(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	base, err := sweepKey(path, set)
	if err != nil {
		return err
	}
	key := func(values []string) string { return base + "\x00" + stamps[strings.Join(values, "\x00")] }
	s := sweep.Sweep{Fields: fields, Folder: out, Key: key, Workers: workers, Run: func(ctx context.Context, values []string) (*report.Result, error) {
		given, err := experiment.Load(path, append(append([]string{}, set...), values...)...)
		if err != nil {
			return nil, err
		}
		priced, err := experiment.Prepare(ctx, given, nil)
		if err != nil {
			return nil, err
		}
		terminal.PulseOf(cmd.ErrOrStderr()).Enter("training")
		bundle, err := priced.Run(ctx, nil)
		if err != nil {
			return nil, err
		}
		return bundle.Result, nil
	}}
	if queued.given() {
		if check.price {
			s.Priced = func(values []string, r *report.Result) (bool, error) {
				own, err := priceCell(ctx, path, set, values)
				return err == nil && cells.SameLosses(own, r), err
			}
		}
		s.Away = awayCells(cmd, queued, path, set, out, crewFlags{workers, cache}, base, check.by(s.Run))
	}
	ended, grid := 0, 1
	for _, f := range fields {
		grid *= len(f.Values)
	}
	rows, err := s.Rows(ctx, func(r sweep.Row, again bool) {
		ended++
		fmt.Fprintln(cmd.ErrOrStderr(), cellLine(ended, grid, r, again, fields))
	})
	if errors.Is(err, context.Canceled) && out != "" {
		return fault.Wrap(err, "sweep", fmt.Sprintf("the cells that have ended, %d of %d, are kept in %s; the same command goes on with the others", ended, grid, out))
	}
	if err != nil {
		return err
	}
	return writeSweep(cmd, strings.TrimSuffix(filepath.Base(path), ".yaml"), out, fields, rows)
}

// checkCells reads the spec of every cell, so that a key that does not exist is an error at
// once and not one in every row. It returns what the files are like that each cell reads.
func checkCells(cmd *cobra.Command, path string, set []string, fields []sweep.Field) (stamps map[string]string, err error) {
	grid, err := sweep.Grid(fields)
	if err != nil {
		return nil, err
	}
	stamps = map[string]string{}
	bad := 0
	for _, c := range grid {
		values := c.Settings(fields)
		s, failed := loadSpec(cmd.Context(), path, append(append([]string{}, set...), values...)...)
		if stamps[strings.Join(values, "\x00")] = ""; failed == nil {
			stamps[strings.Join(values, "\x00")] = stamp(s.Data.Path) + stamp(s.Graph)
			continue
		}
		if bad++; err == nil {
			err = failed
		}
	}
	if bad == len(grid) {
		return nil, err
	}
	return stamps, nil
}

func cellLine(ended, cells int, r sweep.Row, again bool, fields []sweep.Field) string {
	text := fmt.Sprintf("%d of %d  %s: ", ended, cells, r.Cell.Name(fields))
	switch {
	case r.Error != "":
		return text + r.Why()
	case r.Classifies:
		text += fmt.Sprintf("accuracy %.4g", float64(r.Score))
	default:
		text += fmt.Sprintf("test loss %.4g", float64(r.Score))
	}
	text += fmt.Sprintf(", mean loss %s (%s)", form.Loss(r.Mean, r.Status), statusOf(r))
	if again {
		text += ", from an earlier run"
	}
	return text
}

// statusOf is the status of a row's losses, and whether they are a worker's word.
func statusOf(r sweep.Row) string {
	if r.By != "" {
		return string(r.Status) + ": as a worker says"
	}
	return string(r.Status)
}

// sweepKey is all that cells depend on besides their settings: the program, the text of the
// spec, where it reads its data from, and what is set of it.
func sweepKey(path string, set []string) (string, error) {
	program, err := programHash()
	if err != nil {
		return "", err
	}
	text, err := regular.Read(path, spec.Largest)
	if err != nil {
		return "", fault.Wrap(err, "cannot read "+path, "check the name of the spec")
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", fault.Wrap(err, "cannot tell where "+path+" is", "give its whole path")
	}
	return strings.Join(append([]string{program, filepath.Dir(whole), string(text)}, set...), "\x00"), nil
}

// checkTable makes the folder of a table, if one is wanted, and refuses one that cannot be written to or has a page
// of something else: before the first cell runs and not after the last.
func checkTable(out string) error {
	if out == "" {
		return nil
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
	}
	_, table := os.Stat(filepath.Join(out, "sweep.csv"))
	if _, err := os.Stat(filepath.Join(out, "index.html")); err == nil && table != nil {
		return fault.New(fmt.Sprintf("output folder %s has an index.html that is not of a sweep", out), "choose a new folder")
	}
	if err := form.TryFolder(out); err != nil {
		return fault.Wrap(err, "cannot write to the output folder", "choose a folder you may write to")
	}
	return nil
}

// writeTable writes the table and the page.
func writeTable(out, name string, fields []sweep.Field, rows []sweep.Row) error {
	for file, write := range map[string]func(io.Writer) error{
		"sweep.csv":     func(w io.Writer) error { return sweep.WriteCSV(w, fields, rows) },
		"sweep.parquet": func(w io.Writer) error { return columnar.Write(w, sweep.Columns(fields, rows)) },
		"index.html":    func(w io.Writer) error { return sweep.WritePage(w, name, fields, rows) },
	} {
		if err := regular.Write(filepath.Join(out, file), 0o644, write); err != nil {
			return fault.Wrap(err, "cannot write "+file, "check the space left and your rights in "+out)
		}
	}
	return nil
}

func writeSweep(cmd *cobra.Command, name, out string, fields []sweep.Field, rows []sweep.Row) error {
	if out != "" {
		if err := writeTable(out, name, fields, rows); err != nil {
			return err
		}
	}
	failed := 0
	for _, r := range rows {
		if r.Error != "" {
			failed++
		}
	}
	var err error
	if wantJSON(cmd) {
		err = printJSON(cmd, sweep.WithNames(fields, rows))
	} else {
		err = sweep.WriteText(cmd.OutOrStdout(), fields, rows)
	}
	if err == nil && failed == len(rows) && failed > 1 && !slices.ContainsFunc(rows, func(r sweep.Row) bool { return r.Error != rows[0].Error }) {
		return fault.New(fmt.Sprintf("all %d cells fail: %s", failed, rows[0].Error), rows[0].Hint)
	}
	if err == nil && failed > 0 {
		return fault.New(fmt.Sprintf("%d of %d cells failed", failed, len(rows)), "the rows say why; the same command runs them again")
	}
	return err
}
