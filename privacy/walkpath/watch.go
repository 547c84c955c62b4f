package walkpath

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
)

// A Watch follows the computation of the laws of a walk, which may take hours. It receives progress, can cancel
// the computation, and can store each law for a later run of the same walk. Every field may be nil. Stage and
// Progress are called from the goroutine that called Laws.
type Watch struct {
	Context  context.Context       // once it ends no further law is begun
	Stage    func(what string)     // names the step after the laws: their losses, one noise after the other
	Progress func(done, total int) // laws, losses or simulated paths; the first call counts those that were stored
	Keeper   privacy.Keeper        // stores each law once it is computed
	Away     Away                  // computes blocks of moments elsewhere
}

// Away computes moments of blocks of observers of a walk (allpairs.Plan.Block) in another process. It passes
// the text of each (Blocks.Text) to found, one at a time. If found returns an error, Away stops and returns it.
type Away func(ctx context.Context, of allpairs.Walk, blocks []int, found func(block int, text []byte) error) error

// err returns the reason to stop, or nil.
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

func (w *Watch) stage(what string) {
	if w != nil && w.Stage != nil {
		w.Stage(what)
	}
}

// remembers reports whether laws outlive the run.
func (w *Watch) remembers() bool { return w != nil && w.Keeper != nil }

// A computation computes the laws of a block of pairs except those that are kept, passes each to found at once,
// and returns the error of found, if any.
type computation func(block int, kept []*Law, found func(i int, l *Law) error) error

// A job is the computation of the laws of blocks of pairs.
type job struct {
	walk    Walk
	blocks  [][]Pair
	compute computation
	key     [32]byte // the key of the laws
	laws    [][]*Law // by block
	done    int      // number of pairs with a law
	total   int
}

// each computes the laws of blocks of pairs on at most workers goroutines, except those that are kept. A law
// has the same bits whichever others of its block are computed, so that interruptions do not change results.
// method distinguishes ways of computing that may differ in the last bits.
func (w Walk) each(method string, blocks [][]Pair, workers int, compute computation) ([][]*Law, error) {
	j := &job{walk: w, blocks: blocks, compute: compute, laws: make([][]*Law, len(blocks))}
	for b, pairs := range blocks {
		j.total += len(pairs)
		j.laws[b] = make([]*Law, len(pairs))
	}
	if w.Watch.remembers() {
		j.key = w.key(method)
	}
	var open []int
	for b := range blocks {
		if !j.recall(b) {
			open = append(open, b)
		}
	}
	w.Watch.progress(j.done, j.total)
	return j.laws, j.run(open, workers)
}

// A finding is a law and its place.
type finding struct {
	block, at int
	law       *Law
}

// run computes the missing laws of the open blocks, and stores each at once.
func (j *job) run(open []int, workers int) error {
	var group errgroup.Group
	group.SetLimit(max(1, workers) + 1) // and the one that starts them
	findings, end := make(chan finding), make(chan error, 1)
	group.Go(func() error {
		for _, b := range open {
			kept := slices.Clone(j.laws[b])
			group.Go(func() error {
				if err := j.walk.Watch.err(); err != nil {
					return err
				}
				return j.compute(b, kept, func(i int, l *Law) error {
					findings <- finding{b, i, l}
					return j.walk.Watch.err()
				})
			})
		}
		return nil
	})
	go func() {
		end <- group.Wait()
		close(findings)
	}()
	for f := range findings {
		j.laws[f.block][f.at] = f.law
		if j.walk.Watch.remembers() {
			keep(j.walk.Watch.Keeper, f.law, lawKey(j.key, j.blocks[f.block][f.at]))
		}
		j.done++
		j.walk.Watch.progress(j.done, j.total)
	}
	return <-end
}

// recall reads the kept laws of a block, and reports whether it has all of them.
func (j *job) recall(b int) bool {
	if !j.walk.Watch.remembers() {
		return len(j.blocks[b]) == 0
	}
	whole := true
	for i, p := range j.blocks[b] {
		if j.laws[b][i] = recall(j.walk.Watch.Keeper, lawKey(j.key, p)); j.laws[b][i] != nil {
			j.done++
		} else {
			whole = false
		}
	}
	return whole
}
