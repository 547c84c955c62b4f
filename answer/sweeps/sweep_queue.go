package sweeps

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
	"github.com/hearsay-dp/hearsay/sweep/cells"
)

// awayCells runs cells through a queue, with some processes on this machine.
func awayCells(ask form.Asker, f QueueQuestion, path string, set []string, out string, workers crewFlags, base string, check checked) sweep.Away {
	return func(ctx context.Context, settings [][]string, accept func(i int, by string, result []byte) error, failed func(i int, err error)) error {
		id, err := identityOf(out, base)
		if err != nil {
			return fault.Wrap(err, "cannot tell this sweep from others", "give --out as a whole path")
		}
		g, err := f.open(ctx, id, filepath.Join(out, "queue"), ask.Stderr)
		if err != nil {
			return err
		}
		defer g.close()
		jobs, err := cells.Send(ctx, g.run, path, set, settings)
		if err != nil {
			return err
		}
		to := cells.Accept(accept)
		if check.Share > 0 {
			to = cells.Verify(to, check.Share, foreseenByNobody, func(i int) (*report.Result, error) { return check.run(ctx, settings[i]) })
		}
		if check.Price {
			to = cells.Price(to, func(i int) (*report.Privacy, error) { return priceCell(ctx, path, set, settings[i]) })
		}
		to = cells.Hold(to, func(i int) (any, error) { return resolvedCell(ctx, path, set, settings[i]) })
		return g.do(ctx, ask, "cells", workers, jobs, queue.Callbacks{Accept: to, Failed: failed})
	}
}

// resolvedCell returns the resolved spec of a cell.
func resolvedCell(ctx context.Context, path string, set, own []string) (any, error) {
	s, err := experiment.Load(path, append(append([]string{}, set...), own...)...)
	if err != nil {
		return nil, err
	}
	p, err := experiment.Open(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	return p.Spec.Plain()
}

// priceCell returns the losses of a cell.
func priceCell(ctx context.Context, path string, set, own []string) (*report.Privacy, error) {
	s, err := experiment.Load(path, append(append([]string{}, set...), own...)...)
	if err != nil {
		return nil, err
	}
	p, err := experiment.Prepare(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	plan, err := p.Plan()
	if err != nil {
		return nil, err
	}
	return &plan.Privacy, nil
}

// checked configures the local check of cells: the share that is run here, how, and whether all are
// priced here.
type checked struct {
	Share float64
	Price bool
	run   func(ctx context.Context, settings []string) (*report.Result, error)
}

// by returns the check with a function that runs cells here.
func (c checked) by(run func(ctx context.Context, settings []string) (*report.Result, error)) checked {
	c.run = run
	return c
}

// foreseenByNobody returns a number in [0, 1) from the operating system. It returns 0, which
// selects a cell, if there is no randomness.
func foreseenByNobody() float64 {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return 0 // without randomness every cell is checked
	}
	return float64(binary.LittleEndian.Uint64(random[:])>>11) / (1 << 53)
}

// do gives out jobs until all are done, with some processes on this machine.
func (g *giver) do(ctx context.Context, ask form.Asker, unit string, workers crewFlags, jobs []*queue.Job, c queue.Callbacks) error {
	say := ask.Stderr
	fmt.Fprintf(say, "%d %s are given out; on another machine: %s\n", len(jobs), unit, g.invitation())
	c.Progress = g.progress(terminal.PulseOf(say), say, len(jobs), unit)
	var once sync.Once
	c.Unasked = func(worker string) {
		once.Do(func() {
			fmt.Fprintf(say, "warning: answers to %s come from somebody who has the workers' secret and has not taken them (it calls itself %q): they are ignored\n", unit, worker)
		})
	}
	by := map[string]int{}
	heard := c.Accept
	c.Accept = func(i int, worker string, answer []byte) error {
		by[worker]++
		return heard(i, worker, answer)
	}
	stop, err := g.employ(ctx, workers, say)
	if err != nil {
		return err
	}
	err = g.run.Do(ctx, jobs, c)
	stop()
	for _, worker := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(say, "from the worker that calls itself %q: %d %s\n", worker, by[worker], unit)
	}
	g.end(ctx, err == nil) // also if it is stopped: kept cells count as complete, and the next run continues from them
	return err
}

// crewFlags configures the processes of this machine.
type crewFlags struct {
	count int
	cache form.Cache
}

// employ starts processes on this machine. stop ends them.
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
