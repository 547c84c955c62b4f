package walkpath

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
)

// Moments holds upper bounds of E V^k, k = 1, 2, .., of the path energy V of every ordered pair of a walk
// (docs/ALLPAIRS.md). They depend on neither noise nor delta, so that a loss for any of these takes a few
// operations a pair. A pair that also has a law in Refined is charged the smaller of both.
type Moments struct {
	privacy.Claim
	Walk    Walk
	Refined map[Pair]*Law // for the largest sensitivity
	logs    []float32     // ln E V^k, rounded up: [(u*n+v)*allpairs.Orders+k-1]
	workers int
}

// CanMoments returns the reason why moments do not bound a walk's pairs, or "" if they do. The reasons:
// only the local loss holds, the last token is released, the cap of contributions is missing or too large,
// some node is never reached, or the graph is too large.
func (w Walk) CanMoments() string {
	switch {
	case w.notAmplified() != "":
		return w.notAmplified()
	case w.Final:
		return "the last token is released, which moments do not cover"
	case w.Cap < w.AllTokens() || w.token(0).Cap > allpairs.MostCap:
		return fmt.Sprintf("moments are followed for 1 to %d contributions", allpairs.MostCap)
	case w.W == nil || w.Nodes > allpairs.Most:
		return fmt.Sprintf("moments are followed on graphs of at most %d nodes", allpairs.Most)
	case !allpairs.Connected(w.W):
		return "some node is never reached from some other"
	}
	return ""
}

// Moments bounds the moments of all ordered pairs on at most workers goroutines. It reports progress to the
// walk's Watch.
func (w Walk) Moments(workers int) (*Moments, error) {
	if err := w.check(0, 1); err != nil {
		return nil, err
	}
	if why := w.CanMoments(); why != "" {
		return nil, fault.New("no moments of all pairs: "+why, "ask for laws")
	}
	m := &Moments{Walk: w, workers: workers, Claim: w.claim("walk, path", "the energies of all pairs are bounded by their moments, "+
		"with what rounding may take away added: nodes that are numbered otherwise may be charged up to 0.3 % more or less, where walks mix slowly")}
	if w.Records {
		m.Unit = privacy.Record
	}
	m.logs = make([]float32, w.Nodes*w.Nodes*allpairs.Orders)
	if w.AllTokens() > 1 || w.Starts != nil {
		return m, w.momentsOfTokens(m, workers)
	}
	kept := m.keeper("moments of all pairs")
	open := kept.open(every((w.Nodes + allpairs.Lanes - 1) / allpairs.Lanes))
	if len(open) == 0 {
		return m, nil
	}
	if w.Watch != nil && w.Watch.Away != nil {
		return m, m.away(open)
	}
	plan, err := planned(w.gaps(), workers, w.Watch)
	if err != nil {
		return nil, err
	}
	w.Watch.stage("energies of all pairs")
	return m, w.Watch.all(len(open), workers, func(i int) {
		plan.Block(open[i], m.keep)
		kept.keep(open[i])
	})
}

// gaps returns the part of the walk that moments depend on.
func (w Walk) gaps() allpairs.Walk {
	return allpairs.Walk{W: w.W, Start: w.startLaw(), Turns: w.Turns, Cap: w.Cap, Skip: w.Skip}
}

// away has blocks computed elsewhere. It keeps them apart from blocks that were computed here, because they
// are claims of workers that nothing here verifies.
func (m *Moments) away(open []int) error {
	said := m.keeper("moments of all pairs, as a worker says")
	m.Status, m.If = privacy.SoundIf, "the workers that priced pairs, and whoever else could answer for them, sent what they had found"
	if open = said.open(open); len(open) == 0 {
		return nil
	}
	watch := m.Walk.Watch
	watch.stage("energies of all pairs, elsewhere")
	ctx, done := watch.Context, 0
	if ctx == nil {
		ctx = context.Background()
	}
	watch.progress(0, len(open))
	return watch.Away(ctx, m.Walk.gaps(), open, func(block int, text []byte) error {
		if !m.read(block, text) {
			return ErrNoBlock
		}
		said.keep(block)
		done++
		watch.progress(done, len(open))
		return nil
	})
}

// ErrNoBlock reports a text that is not a block of moments of the walk.
var ErrNoBlock = errors.New("it is no block of moments")

// Blocks computes blocks of moments of a walk one after the other, for a process elsewhere that collects
// all of them.
type Blocks struct {
	plan  *allpairs.Plan
	nodes int
}

// NewBlocks computes the parts that all blocks share, on at most workers goroutines.
func NewBlocks(ctx context.Context, of allpairs.Walk, workers int) (*Blocks, error) {
	plan, err := planned(of, workers, &Watch{Context: ctx})
	if err != nil {
		return nil, err
	}
	return &Blocks{plan, of.W.N}, nil
}

func planned(of allpairs.Walk, workers int, watch *Watch) (*allpairs.Plan, error) {
	watch.stage("gaps between the visits of all pairs")
	plan, err := allpairs.NewPlan(of)
	if err != nil {
		return nil, err
	}
	failed := make([]error, plan.Rates())
	if err := watch.all(plan.Rates(), workers, func(j int) { failed[j] = plan.Invert(j) }); err != nil {
		return nil, err
	}
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	if err := watch.all(plan.Blocks(), workers, plan.Diagonal); err != nil {
		return nil, err
	}
	plan.Start()
	return plan, nil
}

// Count returns the number of blocks.
func (b *Blocks) Count() int { return b.plan.Blocks() }

// Text returns a block as Moments stores it: 32-bit logarithms of the moments of every node and each of the
// observers.
func (b *Blocks) Text(block int) (text []byte) {
	const size = 4 * allpairs.Orders
	b.plan.Block(block, func(u, _, count int, moments []float64) {
		if text == nil {
			text = make([]byte, b.nodes*count*size)
		}
		for i, x := range moments[:count*allpairs.Orders] {
			binary.LittleEndian.PutUint32(text[u*count*size+4*i:], math.Float32bits(logUp(x)))
		}
	})
	return text
}

// keep stores the moments that Plan.Block passes.
func (m *Moments) keep(u, first, count int, moments []float64) {
	for i := range count {
		to := m.of(u, first+i)
		for k := range to {
			to[k] = logUp(moments[i*allpairs.Orders+k])
		}
	}
}

// of returns the logarithms of the moments of a pair.
func (m *Moments) of(u, v int) []float32 {
	at := (u*m.Walk.Nodes + v) * allpairs.Orders
	return m.logs[at : at+allpairs.Orders]
}

// logUp returns a number of at least ln x. It returns -Inf for 0 and +Inf for NaN.
func logUp(x float64) float32 {
	l := math.Log(x)
	if math.IsNaN(l) {
		return float32(math.Inf(1))
	}
	return math.Nextafter32(float32(l), float32(math.Inf(1)))
}

// Pair returns the bounds of E V^k, k = 1, 2, .., of a pair.
func (m *Moments) Pair(u, v int) []float64 {
	moments := make([]float64, allpairs.Orders)
	for k, l := range m.of(u, v) {
		moments[k] = math.Exp(float64(l))
	}
	return moments
}

// all runs the parts of a computation until the context ends, and reports the number of finished ones.
func (w *Watch) all(count, workers int, do func(i int)) error {
	w.progress(0, count)
	done := make(chan struct{}, count)
	go func() {
		defer close(done)
		parallel.Each(count, workers, func(i int) {
			if w.err() == nil {
				do(i)
				done <- struct{}{}
			}
		})
	}()
	n := 0
	for range done {
		n++
		w.progress(n, count)
	}
	return w.err()
}
