package node

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// spec is the hash of the spec of these tests.
var spec = sha256.Sum256([]byte("the spec of these tests"))

// federation is a run that daemons and the simulator can both do.
type federation struct {
	n, params  int
	turns      step.Turn
	neighbours func(step.NodeID) []step.NodeID
	machine    func(step.NodeID) step.Durable // a new one
	want       [][]float64                    // the model that each node ends with
	released   []step.Release                 // by the simulator
}

// ring is a cycle of n nodes with one chord.
func ring(n int) func(step.NodeID) []step.NodeID {
	adjacent := make([][]step.NodeID, n)
	link := func(u, v int) {
		if u != v && !slices.Contains(adjacent[u], step.NodeID(v)) {
			adjacent[u], adjacent[v] = append(adjacent[u], step.NodeID(v)), append(adjacent[v], step.NodeID(u))
		}
	}
	for u := range n {
		link(u, (u+1)%n)
	}
	link(0, n/2)
	for u := range adjacent {
		slices.Sort(adjacent[u])
	}
	return func(v step.NodeID) []step.NodeID { return adjacent[v] }
}

// lazy moves to a uniform choice among a node and its neighbours.
type lazy func(step.NodeID) []step.NodeID

func (l lazy) Next(u int, r *rand.Rand) int {
	to := l(step.NodeID(u))
	if k := r.IntN(len(to) + 1); k < len(to) {
		return int(to[k])
	}
	return u
}

func local(params int) descent.Local {
	return descent.Local{
		Params: params, Objective: model.Objective{Model: model.Logistic{Intercept: true}, L2: 0.1},
		Noise: noise.Gaussian{Clip: 0.5, Multiplier: 1.5}, StepSize: descent.StepSize{Base: 0.3, Power: 0.75}, MaxScale: 1,
	}
}

// slab gives every node three examples.
func slab(n, features int) *sim.Slab {
	s := &sim.Slab{Features: features, Offsets: []int{0}}
	for v := range n {
		for i := range 3 {
			for j := range features {
				s.X = append(s.X, math.Sin(float64(1+v*features*3+i*features+j)))
			}
			s.Y = append(s.Y, float64(2*((v+i)%2)-1))
		}
		s.Offsets = append(s.Offsets, len(s.Y))
	}
	return s
}

// walkOf is a walk of so many steps, and what the simulator makes of it. The
// handover waits for ever.
func walkOf(t testing.TB, n, features, steps int) *federation {
	t.Helper()
	return walkWith(t, n, features, steps, walk.Handover{})
}

// walkWith is a walk that deals with silent holders in some way.
func walkWith(t testing.TB, n, features, steps int, handover walk.Handover) *federation {
	t.Helper()
	neighbours := ring(n)
	p := &walk.Protocol{
		Local: local(features + 1), Nodes: n, Steps: steps, BurnIn: 3, Cap: steps / n, Start: 1, Announce: true, Final: true,
		Handover: handover,
	}
	w := &sim.Walk{Protocol: p, Holdings: slab(n, features), Choose: lazy(neighbours), Seed: 7}
	f := &federation{n: n, params: p.Params, turns: p.Turns(), neighbours: neighbours}
	f.machine = func(v step.NodeID) step.Durable { return w.Machines(neighbours, nil)[v].(step.Durable) }
	var token []float64
	machines := w.Machines(neighbours, func(_ step.Release, x []float64) { token = slices.Clone(x) })
	f.simulate(t, machines)
	for range n {
		f.want = append(f.want, token)
	}
	return f
}

// gossipOf is gossip of so many rounds.
func gossipOf(t testing.TB, n, features, rounds int) *federation {
	t.Helper()
	neighbours := ring(n)
	p := &gossip.Protocol{Local: local(features + 1), Nodes: n, Rounds: rounds, TurnsPerRound: 3, Gamma: gossip.Acceleration(0.3), Cap: max(1, rounds-1)}
	p.Batch = 2
	g := func() *sim.Gossip {
		return &sim.Gossip{Protocol: p, Holdings: slab(n, features), Weights: graph.Fixed(averaging(t, n, neighbours)), Seed: 7}
	}
	f := &federation{n: n, params: p.Params, turns: p.Turns(), neighbours: neighbours}
	f.machine = func(v step.NodeID) step.Durable { return g().Machines(neighbours, nil)[v].(step.Durable) }
	f.want = make([][]float64, n)
	f.simulate(t, g().Machines(neighbours, func(v step.NodeID, at step.Turn, x []float64) {
		if at == p.Turns() {
			f.want[v] = slices.Clone(x)
		}
	}))
	return f
}

// averaging is the gossip matrix of a graph.
func averaging(t testing.TB, n int, neighbours func(step.NodeID) []step.NodeID) *sparse.Matrix {
	var edges [][2]int
	for u := range n {
		for _, v := range neighbours(step.NodeID(u)) {
			edges = append(edges, [2]int{u, int(v)})
		}
	}
	g, err := graph.FromEdges("ring", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return w.Sparse()
}

// simulate runs the machines on the virtual network.
func (f *federation) simulate(t testing.TB, machines []step.Machine) {
	_, err := sim.Network{}.Run(context.Background(), machines, func(r step.Release) { f.released = append(f.released, r) })
	if err != nil {
		t.Fatal(err)
	}
}

// world runs the daemons of a federation over a Hub.
type world struct {
	*federation
	t      testing.TB
	hub    *transport.Hub
	folder string
	tick   time.Duration
	linger time.Duration
	edit   func(v step.NodeID, c *Config) // before each start
	log    *slog.Logger

	mu       sync.Mutex
	models   map[step.NodeID][]float64
	sent     map[sentMessage]map[ledger.Digest]bool // what was on the wire
	starts   map[step.NodeID]int
	finished map[step.NodeID]Status
}

type sentMessage struct {
	from step.NodeID
	ledger.Key
}

func newWorld(t testing.TB, f *federation, faults transport.Faults) *world {
	t.Helper()
	return &world{
		federation: f, t: t, folder: quickFolder(t), tick: 50 * time.Microsecond, linger: 20 * time.Second,
		edit: func(step.NodeID, *Config) {}, models: map[step.NodeID][]float64{}, starts: map[step.NodeID]int{},
		sent: map[sentMessage]map[ledger.Digest]bool{}, finished: map[step.NodeID]Status{},
		hub: transport.NewHub(transport.MemoryConfig{
			Neighbours: func(a, b step.NodeID) bool { return slices.Contains(f.neighbours(a), b) },
			MaxFrame:   MaxFrame(f.params), Queue: 16, Faults: faults,
		}),
	}
}

// quickFolder is a folder in memory where there is one: these tests are about
// what is written, not about the disk.
func quickFolder(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "node")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (w *world) path(v step.NodeID) string { return filepath.Join(w.folder, fmt.Sprint(v, ".ledger")) }

// openLedger opens a node's ledger, or makes it.
func openLedger(path string, v step.NodeID) (*ledger.Ledger, error) {
	if _, err := os.Stat(path); err == nil {
		return ledger.Open(path)
	}
	return ledger.Create(path, ledger.Federation{Name: "test", Spec: spec, Node: fmt.Sprint("n", v), ID: v})
}

// config is that of a node's next start.
func (w *world) config(v step.NodeID) (Config, error) {
	l, err := openLedger(w.path(v), v)
	if err != nil {
		return Config{}, err
	}
	c := Config{
		Self: v, Neighbours: w.neighbours(v), Machine: w.machine(v), Turns: w.turns, Params: w.params, Spec: spec,
		Transport: &sniffer{Transport: w.hub.Open(v), w: w}, Ledger: l, Tick: w.tick, Linger: w.linger, Log: w.log,
	}
	for u := range w.n {
		c.Names = append(c.Names, fmt.Sprint("n", u))
	}
	w.edit(v, &c)
	return c, nil
}

// errKilled is what a failpoint panics with.
var errKilled = errors.New("killed")

// once starts a node and runs it until it ends or is killed.
func (w *world) once(ctx context.Context, v step.NodeID) (err error) {
	c, err := w.config(v)
	if err != nil {
		return err
	}
	n, err := New(c)
	if err != nil {
		return errors.Join(err, c.Transport.Close(), c.Ledger.Close())
	}
	defer func() {
		if p := recover(); p != nil {
			if p != errKilled {
				panic(p)
			}
			err = errKilled
		}
	}()
	w.mu.Lock()
	w.starts[v]++
	w.mu.Unlock()
	err = n.Run(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished[v] = n.Status()
	switch m := c.Machine.(type) {
	case *walk.Machine:
		w.models[v], _ = m.Ended()
	case *gossip.Machine:
		w.models[v] = slices.Clone(m.Model())
	}
	return err
}

// run runs all nodes, and starts again who was killed.
func (w *world) run() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var group sync.WaitGroup
	errs := make([]error, w.n)
	for v := range step.NodeID(w.n) {
		group.Go(func() {
			for {
				if errs[v] = w.once(ctx, v); !errors.Is(errs[v], errKilled) {
					return
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		w.t.Fatal(err)
	}
}

// check compares the run with the simulator's.
func (w *world) check() {
	w.t.Helper()
	for v, want := range w.want {
		got := w.models[step.NodeID(v)]
		if fmt.Sprintf("%x", got) != fmt.Sprintf("%x", want) {
			w.t.Errorf("node %d ends with %v, in the simulator with %v", v, got, want)
		}
	}
	w.checkLedgers()
}

// checkLedgers compares what all ledgers hold with what the simulator released,
// and with what was on the wire.
func (w *world) checkLedgers() {
	w.t.Helper()
	var held []step.Release
	for _, row := range w.checkWire() {
		held = append(held, row.Release.Release)
	}
	w.checkReleases(held)
}

// checkWire verifies all ledgers, checks that they hold every message that was on
// the wire, which had one body each, and returns their rows.
func (w *world) checkWire() (rows []ledger.Row) {
	w.t.Helper()
	bodies := map[coveredBodyOf]bool{}
	for v := range step.NodeID(w.n) {
		for _, row := range w.rows(v) {
			bodies[coveredBodyOf{v, coveredBody{row.To, laneBody{row.Lane, row.Body}}}] = true
			rows = append(rows, row)
		}
	}
	if len(w.sent) == 0 {
		w.t.Error("nothing was on the wire")
	}
	for message, seen := range w.sent {
		if len(seen) != 1 {
			w.t.Errorf("message %+v had %d different bodies on the wire", message, len(seen))
		}
		for body := range seen {
			if !bodies[coveredBodyOf{message.from, coveredBody{message.Peer, laneBody{message.Lane, body}}}] {
				w.t.Errorf("message %+v was on the wire and is not in the ledger", message)
			}
		}
	}
	return rows
}

// rows verifies a ledger and reads it.
func (w *world) rows(v step.NodeID) (rows []ledger.Row) {
	w.t.Helper()
	l, err := ledger.Open(w.path(v))
	if err != nil {
		w.t.Fatal(err)
	}
	defer l.Close()
	if err := l.Verify(); err != nil {
		w.t.Error(err)
	}
	for row, err := range l.Show() {
		if err != nil {
			w.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

type coveredBodyOf struct {
	from step.NodeID
	coveredBody
}

// checkReleases: each release of the simulator once, and beyond these only
// further receivers of the last token.
func (w *world) checkReleases(held []step.Release) {
	w.t.Helper()
	count := map[step.Release]int{}
	for _, r := range held {
		count[r]++
	}
	for _, r := range w.released {
		if count[r] != 1 {
			w.t.Errorf("release %+v is %d times in the ledgers", r, count[r])
		}
		delete(count, r)
	}
	for r, times := range count {
		if r.Turn < w.turns-1 || times != 1 {
			w.t.Errorf("release %+v is %d times in the ledgers, and never in the simulator", r, times)
		}
	}
}

// sniffer is a transport that remembers what is sent.
type sniffer struct {
	transport.Transport
	w *world
}

func (s *sniffer) Send(ctx context.Context, to step.NodeID, frame []byte) error {
	if kind, _ := wire.Peek(frame); kind == wire.KindStep {
		var f wire.Frame
		codec := wire.Codec{Federation: wire.FederationOf(spec), MaxParams: s.w.params}
		if err := codec.Decode(frame, &f); err == nil && len(f.Msg.Body) > 0 {
			s.w.saw(f)
		}
	}
	return s.Transport.Send(ctx, to, frame)
}

func (w *world) saw(f wire.Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := sentMessage{f.Msg.From, ledger.Key{Epoch: f.Epoch, Peer: f.Msg.To, Kind: f.Msg.Kind, Turn: f.Msg.Turn, Lane: f.Msg.Lane}}
	if w.sent[m] == nil {
		w.sent[m] = map[ledger.Digest]bool{}
	}
	w.sent[m][BodyDigest(f.Msg.Body)] = true
}

// logbook keeps what is logged.
type logbook struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *logbook) lines(with string) (count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, with) {
			count++
		}
	}
	return count
}

func (l *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
