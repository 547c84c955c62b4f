package studies

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
)

// sideBySide calls do(ctx, i, say) once for every i in 0..count-1, as many at once as most (at least 1), begun in
// this order, and returns the first error. What each gives to say is called as if one had followed the other: of those that
// are not done the first is heard at once, what others say waits for its turn. Once ctx ends, or one has an error,
// no other is begun and the context of those that were has ended. The path accountants of each speak in turn, too.
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

// inOrder lets several that work at once be heard one after the other.
type inOrder struct {
	mu      sync.Mutex
	at      int        // who is heard
	waiting [][]func() // what those after it have to say
	ended   []bool
}

// say calls what now or in turn. No two are called at once.
func (o *inOrder) say(i int, what func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i == o.at {
		what()
	} else {
		o.waiting[i] = append(o.waiting[i], what)
	}
}

// now calls what if it is i's turn, and never if it is not.
func (o *inOrder) now(i int, what func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i == o.at {
		what()
	}
}

// end says that i has no more to say.
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

// watching is ctx with the same watch for accountants, heard in turn.
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
