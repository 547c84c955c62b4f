package studies

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
)

// sideBySide calls do(ctx, i, say) once for every i in 0..count-1, at most most (at least 1) in parallel, started in
// this order. It returns the first error. Calls that a task passes to say run as if the tasks had run one after the
// other. Calls of the first unfinished task run at once, and those of others wait. After an error, or when ctx ends, no
// other task starts and the running ones are cancelled. The path accountants of each task report in turn, too.
func sideBySide(ctx context.Context, count, most int, do func(ctx context.Context, i int, say func(func())) error) error {
	o := inOrder{waiting: make([][]func(), count), ended: make([]bool, count)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, most))
	for i := range count {
		group.Go(func() error {
			defer o.end(i)
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(o.watching(ctx, i), i, func(what func()) { o.say(i, what) })
		})
	}
	return group.Wait()
}

// inOrder runs the reports of parallel tasks in order.
type inOrder struct {
	mu      sync.Mutex
	at      int        // task whose reports run at once
	waiting [][]func() // reports of later tasks
	ended   []bool
}

// say runs a report now, or when it is task i's turn. Reports never overlap.
func (o *inOrder) say(i int, what func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i == o.at {
		what()
	} else {
		o.waiting[i] = append(o.waiting[i], what)
	}
}

// now runs a report if it is task i's turn, and drops it otherwise.
func (o *inOrder) now(i int, what func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i == o.at {
		what()
	}
}

// end marks task i as finished.
func (o *inOrder) end(i int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.ended[i] = true; o.at < len(o.ended) && o.ended[o.at]; {
		if o.at++; o.at < len(o.ended) {
			for _, what := range o.waiting[o.at] {
				what()
			}
			o.waiting[o.at] = nil
		}
	}
}

// watching returns ctx with the same watch for accountants, reporting in turn.
func (o *inOrder) watching(ctx context.Context, i int) context.Context {
	all := family.WatchOf(ctx)
	if all == nil {
		return ctx
	}
	own := *all
	own.Context = ctx
	if all.Stage != nil {
		own.Stage = func(what string) { o.say(i, func() { all.Stage(what) }) }
	}
	if all.Progress != nil {
		own.Progress = func(done, total int) { o.now(i, func() { all.Progress(done, total) }) }
	}
	return experiment.Watching(ctx, &own)
}
