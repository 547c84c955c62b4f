package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
	"github.com/hearsay-dp/hearsay/sweep/cells"
)

// awayCells runs cells by a queue, with some processes of this machine.
func awayCells(cmd *cobra.Command, f queueFlags, path string, set []string, out string, workers crewFlags, base string, check checked) sweep.Away {
	return func(ctx context.Context, settings [][]string, accept func(i int, result []byte) error, failed func(i int, err error)) error {
		id, err := identityOf(out, base)
		if err != nil {
			return fault.Wrap(err, "cannot tell this sweep from others", "give --out as a whole path")
		}
		g, err := f.open(ctx, id, filepath.Join(out, "queue"), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer g.close()
		jobs, err := cells.Send(ctx, g.run, path, set, settings)
		if err != nil {
			return err
		}
		to := cells.Accept(accept)
		if check.share > 0 {
			to = cells.Verify(to, check.share, foreseenByNobody, func(i int) (*report.Result, error) { return check.run(ctx, settings[i]) })
		}
		return g.do(ctx, cmd, "cells", workers, jobs, queue.Callbacks{Accept: to, Failed: failed})
	}
}

// checked says which share of the cells is run here, too, and how.
type checked struct {
	share float64
	run   func(ctx context.Context, settings []string) (*report.Result, error)
}

// foreseenByNobody is a number of [0, 1) from the operating system.
func foreseenByNobody() float64 {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return 0 // what cannot be drawn is looked at
	}
	return float64(binary.LittleEndian.Uint64(random[:])>>11) / (1 << 53)
}

// do gives jobs out until all are done, with so many processes of this machine.
func (g *giver) do(ctx context.Context, cmd *cobra.Command, unit string, workers crewFlags, jobs []*queue.Job, c queue.Callbacks) error {
	say := cmd.ErrOrStderr()
	fmt.Fprintf(say, "%d %s are given out; on another machine: %s\n", len(jobs), unit, g.invitation())
	c.Progress = g.progress(pulseOf(say), say, len(jobs), unit)
	stop, err := g.employ(ctx, workers, say)
	if err != nil {
		return err
	}
	err = g.run.Do(ctx, jobs, c)
	stop()
	g.end(ctx, err == nil) // also where it is stopped: complete is what is kept, and that goes on from there
	return err
}

// crewFlags say how many processes of this machine take part.
type crewFlags struct {
	count int
	cache cacheFlag
}

// employ starts processes on this machine. What it returns ends them.
func (g *giver) employ(ctx context.Context, workers crewFlags, say io.Writer) (stop func(), err error) {
	if workers.count < 1 {
		return func() {}, nil
	}
	folder, err := openWorkFolder("")
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		defer folder.leave()
		if err := (crew{g.server, folder, workers.count, workers.cache, say, 5}).run(ctx); err != nil {
			fmt.Fprintf(say, "no workers on this machine: %v\n", err)
		}
	})
	return func() { end(); all.Wait() }, nil
}
