package walkpath

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/step"
)

// A Pair is a node whose data leak, and an observer.
type Pair struct{ U, V int }

// A Simulation draws paths of a walk and measures their energies for some pairs. Next draws the holder of the
// turn after the given one, which counts from -BurnIn. Next may depend on the turn (graphs that vary, nodes
// that are away) but on no data. It overrides Walk.W, and may be nil on the complete graph.
type Simulation struct {
	Walk  Walk
	Next  func(at, turn int, r *rand.Rand) int
	Paths int // number of runs drawn
	Seed  uint64
	Audit bool // measure the even spread m^2/l of every excursion, for a lower bound
}

// mostSimulated is the largest number of turns of a path, for which clockRounding holds.
const mostSimulated = 100_000_000

func (s Simulation) check(pairs []Pair) error {
	if s.Paths < 2 {
		return fault.New(fmt.Sprintf("%d simulated paths", s.Paths), "simulate at least 2")
	}
	if s.Walk.Turns > mostSimulated {
		return fault.New(fmt.Sprintf("paths of %d turns are too long to simulate", s.Walk.Turns), fmt.Sprintf("take at most %d turns", mostSimulated))
	}
	if s.Next == nil && s.Walk.W != nil {
		return fault.New("a simulation of paths on a graph does not know how to hop", "give its Next")
	}
	if why := s.Walk.NotAmplified(); why != "" && !s.Audit {
		return fault.New("simulated paths amplify nothing: "+why, "charge the local loss")
	}
	if len(pairs) == 0 {
		return fault.New("a simulation of paths for no pair of nodes", "name a node and an observer")
	}
	if err := s.Walk.check(pairs[0].U, pairs[0].V); err != nil {
		return err
	}
	for _, p := range pairs[1:] {
		if err := s.Walk.checkPair(p.U, p.V); err != nil {
			return err
		}
	}
	return nil
}

// Sample draws the paths and returns the energies for each pair. The cost is one hop a turn, and for every pair
// the work in the turns of its nodes. Path p uses its own stream, so that the result depends on the seed only
// and not on workers.
func (s Simulation) Sample(pairs []Pair, workers int) ([]*Sample, error) {
	if err := s.check(pairs); err != nil {
		return nil, err
	}
	if s.Next == nil {
		n := s.Walk.Nodes
		s.Next = func(_, _ int, r *rand.Rand) int { return r.IntN(n) }
	}
	workers = max(1, workers)
	parts, done := make(chan []tally, workers), make(chan struct{}, 1<<10)
	for k := range workers {
		go func() { parts <- newRunner(s, pairs).run(k, workers, done) }()
	}
	for drawn := range s.Paths { // once the run is cancelled they come at once, and are not drawn
		<-done
		s.Walk.Watch.progress(drawn+1, s.Paths)
	}
	counts := <-parts
	for range workers - 1 {
		for i, part := range <-parts {
			counts[i].merge(part)
		}
	}
	if err := s.Walk.Watch.err(); err != nil {
		return nil, err
	}
	samples := make([]*Sample, len(pairs))
	for i := range samples {
		samples[i] = counts[i].sample(s)
	}
	return samples, nil
}

// A runner simulates paths for one worker.
type runner struct {
	Simulation
	leaks, learns [][]int32 // pairs in which a node is u, in which it is v
	open          [][]staircase
	alone         []Walk           // the walks of single tokens
	used          [][]int32        // contributions to every token of every node in this run
	crossed       []map[edge]int32 // contributions after receipts over an edge, if those are capped
	clock         clock
	energy        []float64
	counts        []tally
	stream        step.Stream
}

func newRunner(s Simulation, pairs []Pair) *runner {
	n := s.Walk.Nodes
	p := &runner{
		Simulation: s, leaks: make([][]int32, n), learns: make([][]int32, n),
		open: make([][]staircase, s.Walk.AllTokens()), energy: make([]float64, len(pairs)), counts: make([]tally, len(pairs)),
		clock: clockOf(s.Walk.Turns, s.Walk.Power),
	}
	for i, pair := range pairs {
		p.leaks[pair.U] = append(p.leaks[pair.U], int32(i))
		p.learns[pair.V] = append(p.learns[pair.V], int32(i))
		p.counts[i] = make(tally)
	}
	for k := range p.open {
		p.alone = append(p.alone, s.Walk.token(k))
		p.used, p.crossed = append(p.used, make([]int32, n)), append(p.crossed, make(map[edge]int32))
		p.open[k] = make([]staircase, len(pairs))
		for i := range p.open[k] {
			p.open[k][i].since = p.clock.at[0]
		}
	}
	return p
}

// run simulates the paths first, first+stride, .. and counts energies. It sends to done for each path. Once the
// watch has ended it simulates none.
func (p *runner) run(first, stride int, done chan<- struct{}) []tally {
	for path := first; path < p.Paths; path += stride {
		if p.Walk.Watch.err() != nil {
			done <- struct{}{}
			continue
		}
		clear(p.energy)
		for k := range p.alone {
			clear(p.used[k])
			clear(p.crossed[k])
		}
		p.follow(p.stream.At(p.Seed, 0, step.Turn(path), 0, step.Audit))
		for i, v := range p.energy {
			p.counts[i].add(v)
		}
		done <- struct{}{}
	}
	return p.counts
}

// follow simulates one run of all tokens.
func (p *runner) follow(r *rand.Rand) {
	w := p.Walk
	at, from := make([]int, p.Walk.AllTokens()), make([]int, p.Walk.AllTokens())
	for k := range at {
		at[k] = p.alone[k].Start
		if at[k] == AnyStart {
			at[k] = r.IntN(w.Nodes)
		}
		from[k] = at[k]
		for turn := -w.BurnIn; turn < 0; turn++ {
			from[k], at[k] = at[k], p.Next(at[k], turn, r)
		}
	}
	for turn := range w.Turns {
		for k, x := range at {
			p.hold(k, edge{from[k], x}, turn, r)
			from[k], at[k] = x, p.Next(x, turn, r)
		}
	}
	for k := range at {
		p.end(p.open[k])
	}
}

// An edge is the edge over which a token came: from the holder before, or from x itself at the start and where
// it stayed.
type edge struct{ from, to int }

// hold simulates the turn of a node with one token.
func (p *runner) hold(token int, over edge, turn int, r *rand.Rand) {
	open := p.open[token]
	for _, i := range p.learns[over.to] {
		p.energy[i] += p.close(&open[i], turn)
	}
	if leaks := p.leaks[over.to]; len(leaks) > 0 && !p.skips(r) && p.contributes(token, over) {
		for _, i := range leaks {
			open[i].contribute(p.clock.at[turn], p.clock.contribution(turn))
		}
	}
}

// skips draws whether a holder skips its turn.
func (p *runner) skips(r *rand.Rand) bool { return p.Walk.Skip > 0 && r.Float64() < p.Walk.Skip }

// contributes reports whether no cap is reached, and if so counts the contribution.
func (p *runner) contributes(token int, over edge) bool {
	w := &p.alone[token]
	if w.Cap > 0 && int(p.used[token][over.to]) >= w.Cap {
		return false
	}
	if w.EdgeCap > 0 {
		if int(p.crossed[token][over]) >= w.EdgeCap {
			return false
		}
		p.crossed[token][over]++
	}
	p.used[token][over.to]++
	return true
}

// close ends an excursion and returns its energy.
func (p *runner) close(open *staircase, turn int) float64 {
	now, next := p.clock.at[turn], p.clock.after(turn)
	if p.Audit {
		return p.clock.outward(open.closeEven(now, next), true)
	}
	return p.clock.outward(open.close(now, next), false)
}

// end closes the excursions that the release of the last token ends, and drops the rest.
func (p *runner) end(open []staircase) {
	for i := range open {
		if energy := p.close(&open[i], p.Walk.Turns); p.Walk.Final {
			p.energy[i] += energy
		}
		open[i].since = p.clock.at[0]
	}
}

// A tally counts energies, rounded up to a relative 2^-20.
type tally map[float64]int

const tallyMask = 1<<32 - 1

func (t tally) add(energy float64) {
	bits := math.Float64bits(energy)
	t[math.Float64frombits((bits+tallyMask)&^tallyMask)]++
}

func (t tally) merge(other tally) {
	for v, n := range other {
		t[v] += n
	}
}

// sample returns the Sample of the tally, with energies in increasing order.
func (t tally) sample(s Simulation) *Sample {
	e := &Sample{Paths: s.Paths, Most: s.Walk.Most()}
	e.Claim = s.Walk.claim("walk, simulated paths", fmt.Sprintf("%d paths stand for all, up to the stated probability of failure", s.Paths))
	if s.Walk.Records { // the largest sensitivity is charged
		e.Unit = privacy.Record
	}
	if s.Audit {
		e.Claim = privacy.Claim{Accountant: "walk, simulated paths", Status: privacy.Audit, Assumptions: auditAssumptions()}
	}
	for v := range t {
		e.Energies = append(e.Energies, v)
	}
	slices.Sort(e.Energies)
	for _, v := range e.Energies {
		e.Counts = append(e.Counts, t[v])
	}
	return e
}
