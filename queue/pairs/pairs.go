// Package pairs computes the privacy loss of all pairs of a walk through a queue. Its jobs are blocks of
// observers, and its answers are moments (privacy/walkpath, docs/ALLPAIRS.md).
package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
	"github.com/hearsay-dp/hearsay/queue"
)

// Kind is the kind of the jobs.
const Kind = "pairs"

// A putter stores data by content.
type putter interface {
	Put(ctx context.Context, data []byte) (queue.Hash, error)
}

// Send stores a walk and returns one job a block.
func Send(ctx context.Context, to putter, of allpairs.Walk, blocks []int) ([]*queue.Job, error) {
	text, err := of.MarshalBinary()
	if err != nil {
		return nil, err
	}
	h, err := to.Put(ctx, text)
	if err != nil {
		return nil, err
	}
	jobs := make([]*queue.Job, len(blocks))
	for i, b := range blocks {
		jobs[i] = &queue.Job{Kind: Kind, Setup: h, Body: fmt.Append(nil, b)}
	}
	return jobs, nil
}

// Accept turns found, which takes blocks, into the Accept callback of a queue.
func Accept(blocks []int, found func(block int, text []byte) error) func(i int, worker string, answer []byte) error {
	return func(i int, _ string, answer []byte) error {
		err := found(blocks[i], answer)
		if errors.Is(err, walkpath.ErrNoBlock) {
			return queue.Refuse(err)
		}
		return err
	}
}

// A Pricer computes blocks. It caches the data that the blocks of the last walk share.
type Pricer struct {
	mu     sync.Mutex
	of     queue.Hash
	blocks *walkpath.Blocks
}

// Run implements queue.Handler.
func (p *Pricer) Run(ctx context.Context, data queue.Data, j queue.Job) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var block int
	if err := json.Unmarshal(j.Body, &block); err != nil {
		return nil, fmt.Errorf("a block that is none: %w", err)
	}
	if p.of != j.Setup {
		if err := p.prepare(ctx, data, j.Setup); err != nil {
			return nil, err
		}
	}
	if block < 0 || block >= p.blocks.Count() {
		return nil, fmt.Errorf("block %d of %d", block, p.blocks.Count())
	}
	return p.blocks.Text(block), nil
}

func (p *Pricer) prepare(ctx context.Context, data queue.Data, h queue.Hash) error {
	text, err := data.Get(ctx, h, allpairs.MostEncoded)
	if err != nil {
		return err
	}
	var of allpairs.Walk
	if err := of.UnmarshalBinary(text); err != nil {
		return err
	}
	p.of, p.blocks = "", nil // two at once may not fit in memory
	blocks, err := walkpath.NewBlocks(ctx, of, runtime.GOMAXPROCS(0))
	if err == nil {
		p.of, p.blocks = h, blocks
	}
	return err
}
