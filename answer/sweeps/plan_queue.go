package sweeps

import (
	"context"
	"fmt"
	"os"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/queue/pairs"
)

// PairQueue configures the queue that prices all pairs.
type PairQueue struct {
	QueueQuestion
	Workers int
}

// Watched returns the context of a command. With a queue, its pairs are priced through the queue, and used reports
// whether any were.
func (f *PairQueue) Watched(ask form.Asker, cache form.Cache) (ctx context.Context, used func() bool, err error) {
	if !f.Given() {
		ctx, err = cache.Watched(ask.Context, ask.Stderr)
		return ctx, func() bool { return true }, err
	}
	watch, err := cache.Watch(ask.Context, ask.Stderr)
	if err != nil {
		return nil, nil, err
	}
	some := false
	watch.Away = func(ctx context.Context, of allpairs.Walk, blocks []int, found func(block int, text []byte) error) error {
		some = true
		return f.price(ctx, ask, cache, of, blocks, found)
	}
	return experiment.Watching(ask.Context, watch), func() bool { return some }, nil
}

// price gives out blocks of pairs.
func (f *PairQueue) price(ctx context.Context, ask form.Asker, cache form.Cache, of allpairs.Walk, blocks []int, found func(int, []byte) error) error {
	text, err := of.MarshalBinary()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "hearsay-queue-")
	if err != nil {
		return fault.Wrap(err, "cannot make a folder for the queue", "see whether there is space in "+os.TempDir())
	}
	defer os.RemoveAll(folder)
	id, err := identityOf(folder, string(queue.HashOf(text)))
	if err != nil {
		return err
	}
	g, err := f.open(ctx, id, folder, ask.Stderr)
	if err != nil {
		return err
	}
	defer g.close()
	jobs, err := pairs.Send(ctx, g.run, of, blocks)
	if err != nil {
		return err
	}
	var failed error
	err = g.do(ctx, ask, "blocks of pairs", crewFlags{f.Workers, cache}, jobs, queue.Callbacks{Accept: pairs.Accept(blocks, found), Failed: func(i int, err error) {
		failed = fault.Wrap(err, fmt.Sprintf("the pairs of block %d are not priced", blocks[i]), "the same command goes on from what --cache keeps")
	}})
	if err != nil {
		return err
	}
	return failed
}
