package path

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// A Watch follows the laws of a walk, which may take hours: it is told how far
// they are, can end them, and can keep each law for a later run of the same
// walk. Every field may be nil; all are called from the goroutine that called
// Laws.
type Watch struct {
	Context  context.Context                    // once it ends no further law is begun
	Progress func(done, total int)              // laws, or simulated paths
	Recall   func(p Pair, key [32]byte) *Law    // a law kept earlier under the key, nil if there is none
	Keep     func(p Pair, key [32]byte, l *Law) // a law that was computed; failures to keep it are the keeper's business
}

// err is why to stop, nil to go on.
func (w *Watch) err() error {
	if w == nil || w.Context == nil {
		return nil
	}
	return w.Context.Err()
}

func (w *Watch) progress(done, total int) {
	if w != nil && w.Progress != nil {
		w.Progress(done, total)
	}
}

// remembers reports whether laws outlive the run.
func (w *Watch) remembers() bool { return w != nil && w.Recall != nil && w.Keep != nil }

// A job is the computation of the laws of blocks of pairs.
type job struct {
	walk    Walk
	blocks  [][]Pair
	compute func(block int) ([]*Law, error)
	key     [32]byte // what the laws are kept under
	laws    [][]*Law // by block
	done    int      // pairs of them
	total   int
}

// each computes the laws of blocks of pairs on as many goroutines as workers,
// or recalls those of a block of which all are kept. Whole blocks are computed
// anew, so that a law has the same bits however often it was interrupted. The
// method tells apart ways of computing that need not agree to the last bit.
func (w Walk) each(method string, blocks [][]Pair, workers int, compute func(block int) ([]*Law, error)) ([][]*Law, error) {
	j := &job{walk: w, blocks: blocks, compute: compute, laws: make([][]*Law, len(blocks))}
	for _, pairs := range blocks {
		j.total += len(pairs)
	}
	if w.Watch.remembers() {
		j.key = w.key(method)
	}
	w.Watch.progress(0, j.total)
	var open []int
	for b := range blocks {
		if j.recall(b) {
			j.advance(b)
		} else {
			open = append(open, b)
		}
	}
	return j.laws, j.run(open, workers)
}

// run computes the blocks that are open, and keeps each as it is done.
func (j *job) run(open []int, workers int) error {
	var group errgroup.Group
	group.SetLimit(max(1, workers) + 1) // and the one that starts them
	finished := make(chan int, len(open))
	group.Go(func() error {
		for _, b := range open {
			group.Go(func() (err error) {
				if err = j.walk.Watch.err(); err == nil {
					j.laws[b], err = j.compute(b)
				}
				if err != nil {
					b = -1
				}
				finished <- b
				return err
			})
		}
		return nil
	})
	for range open {
		if b := <-finished; b >= 0 {
			j.keep(b)
			j.advance(b)
		}
	}
	return group.Wait()
}

func (j *job) advance(b int) {
	j.done += len(j.blocks[b])
	j.walk.Watch.progress(j.done, j.total)
}

// recall finds the kept laws of a block, all of them or none.
func (j *job) recall(b int) bool {
	if !j.walk.Watch.remembers() {
		return false
	}
	laws := make([]*Law, len(j.blocks[b]))
	for i, p := range j.blocks[b] {
		if laws[i] = j.walk.Watch.Recall(p, j.key); laws[i] == nil {
			return false
		}
	}
	j.laws[b] = laws
	return true
}

func (j *job) keep(b int) {
	if j.walk.Watch.remembers() {
		for i, p := range j.blocks[b] {
			j.walk.Watch.Keep(p, j.key, j.laws[b][i])
		}
	}
}
