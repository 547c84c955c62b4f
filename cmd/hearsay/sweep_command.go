package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/sweeps"
	"github.com/hearsay-dp/hearsay/sweep/figure"
)

func newSweepCommand() *cobra.Command {
	var q sweeps.SweepQuestion
	cmd := &cobra.Command{
		Use:   "sweep SPEC.yaml",
		Short: "Run a spec over a grid of settings and say what privacy costs",
		Long: "Sweep runs every combination of the values that some keys of a spec are to take, on all\n" +
			"cores, and writes one table (sweep.csv, sweep.parquet) and a page: scores over privacy losses, by\n" +
			"field, and the cells that no other beats. Cells that --out has are not run again.\n\n" +
			"  hearsay sweep spec.yaml --vary privacy.calibrate='[{mean: 0.5}, {mean: 1}, {mean: 2}]' \\\n" +
			"    --vary graph='[hypercube:6, \"er:n=64,p=0.2,connected\"]' --out sweeps/first\n" +
			"  hearsay sweep spec.yaml --vary privacy.sigma='{from: 1, to: 16, count: 5, scale: log}'\n\n" +
			"With --repeat N every setting is run N times, each time with another seed: another split, partition, random\n" +
			"graph, noise and route. A row is then the mean of its repeats, with its standard deviation and 95 % interval.\n\n" +
			"With --queue cells are given out to processes, --workers of them on this machine and any number\n" +
			"elsewhere (hearsay worker); with --nats through servers that are there already. The results are\n" +
			"the same bits. Losses that a worker sent are marked so, unless --price or --verify finds them here,\n" +
			"too. Whatever is stopped or lost, the same command goes on from the cells in --out.",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return q.Sweep(askerOf(cmd), args) },
	}
	cmd.Flags().StringArrayVar(&q.Vary, "vary", nil, "key and values: privacy.sigma=[1, 2, 4], or {from: 1, to: 16, count: 5, scale: log}; repeatable")
	cmd.Flags().StringVar(&q.Out, "out", "", "folder for the cells, the table and the page")
	cmd.Flags().IntVar(&q.Workers, "workers", runtime.GOMAXPROCS(0), "cells side by side; of a queue, processes on this machine")
	onEveryProcessor(cmd)
	cmd.Flags().Float64Var(&q.Check.Share, "verify", 0, "share of a queue's cells that this process runs again; a worker with another result is named, and ends the sweep")
	cmd.Flags().BoolVar(&q.Check.Price, "price", false, "compute the losses of a queue's cells here, too; without it losses rest on the word of the workers and are marked so")
	cmd.Flags().StringArrayVar(&q.Figures, "figure", nil, "file for the curves, by its ending "+figure.Formats+" (pgf: for LaTeX); repeatable")
	cmd.Flags().StringVar(&q.Table, "table", "", "file for a LaTeX table of the rows: FILE.tex")
	cmd.Flags().StringVar(&q.TableColumns, "table-columns", "", "key of --vary whose values are the columns of that table, such as privacy.calibrate.mean; a cell is then a mean with its interval")
	cmd.Flags().IntVar(&q.Repeat, "repeat", 1, "runs of each setting, with the seeds from the spec's own on: rows are means with their 95 % intervals")
	settings(cmd, &q.Set)
	programs(cmd, &q.Model)
	registerCache(cmd, &q.Cache)
	registerQueue(cmd, &q.Queued)
	return cmd
}
