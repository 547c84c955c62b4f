package node

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// toAndFro sends a token from each of two nodes to the other.
type toAndFro struct{}

func (toAndFro) Next(u int, _ *rand.Rand) int { return 1 - u }

// pair is a walk between two nodes.
func pair(params, steps int) *federation {
	p := &walk.Protocol{Local: local(params), Nodes: 2, Steps: steps, Announce: true, Final: true}
	neighbours := ring(2)
	w := &sim.Walk{Protocol: p, Holdings: slab(2, params-1), Choose: toAndFro{}, Seed: 7}
	f := &federation{n: 2, params: params, turns: p.Turns(), neighbours: neighbours}
	f.machine = func(v step.NodeID) step.Durable { return w.Machines(neighbours, nil)[v].(step.Durable) }
	return f
}

// BenchmarkHop measures the hops of a walk between two daemons, each with a
// release, a contribution of three examples and a commit: "hops/s". Beside it, in
// the same run: messages of the same size thrown to and fro on the same transport
// by the smallest program that can ("echo/s"), and commits of the same size on
// the same disk by a ledger alone ("commits/s"), half of them before the hops and half after.
// "limit" is a hop's time in units of a commit and an echo one after the other; "least" is in units of what the smallest program
// takes that makes each message durable before it throws it back ("durable-echo/s"): its links are idle for as long as a commit takes, as a daemon's are, and
// what is idle wakes more slowly. All are medians: a disk that others use as well now and then takes ten times as long.
func BenchmarkHop(b *testing.B) {
	for _, carrier := range []string{"memory", "tcp"} {
		for _, disk := range []string{"tmpfs", "disk"} {
			for _, params := range []int{100, 1000, 10_000} {
				b.Run(fmt.Sprintf("%s/%s/%d", carrier, disk, params), func(b *testing.B) { benchmarkHop(b, carrier, disk, params) })
			}
		}
	}
}

func benchmarkHop(b *testing.B, carrier, disk string, params int) {
	f := pair(params, b.N+1)
	w := newWorld(b, f, transport.Faults{})
	w.tick = 10 * time.Millisecond
	if disk == "disk" {
		w.folder = b.TempDir()
	}
	nodes := carriers(b, w, carrier)
	var mu sync.Mutex
	var releases []time.Time
	w.edit = func(v step.NodeID, c *Config) {
		c.Transport.Close()
		c.Transport = nodes(v)
		c.Inspect = func(r step.Release) {
			mu.Lock()
			defer mu.Unlock()
			releases = append(releases, time.Now())
		}
	}
	half := b.N/2 + 1
	echoes, commits, durable := echoTimes(b, nodes, params, half, nil), commitTimes(b, w, half), durableTimes(b, w, nodes, params, half)
	b.ResetTimer()
	w.run()
	b.StopTimer()
	echoes, commits = append(echoes, echoTimes(b, nodes, params, half, nil)...), append(commits, commitTimes(b, w, half)...)
	durable = append(durable, durableTimes(b, w, nodes, params, half)...)
	hop, echo, commit, least := median(between(releases)), median(echoes)/2, median(commits), median(durable)/2
	b.ReportMetric(1/hop.Seconds(), "hops/s")
	b.ReportMetric(1/echo.Seconds(), "echo/s")
	b.ReportMetric(1/commit.Seconds(), "commits/s")
	b.ReportMetric(1/(echo+commit).Seconds(), "commit-and-echo/s")
	b.ReportMetric(1/least.Seconds(), "durable-echo/s")
	b.ReportMetric(hop.Seconds()/(echo+commit).Seconds(), "limit")
	b.ReportMetric(hop.Seconds()/least.Seconds(), "least")
}

// between are the times from each point to the next.
func between(points []time.Time) (all []time.Duration) {
	for i := range len(points) - 1 {
		all = append(all, points[i+1].Sub(points[i]))
	}
	return all
}

func median(all []time.Duration) time.Duration { return slices.Sorted(slices.Values(all))[len(all)/2] }

// carriers makes the transports of two nodes, anew at each call.
func carriers(b *testing.B, w *world, name string) func(step.NodeID) transport.Transport {
	if name == "memory" {
		return func(v step.NodeID) transport.Transport { return w.hub.Open(v) }
	}
	configs := loopback(b, w)
	return func(v step.NodeID) transport.Transport {
		t, err := transport.NewLibp2p(configs[v])
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
}

// loopback are the configurations of real transports on free ports.
func loopback(t testing.TB, w *world) []transport.Config {
	keys, addresses := make([]identity.Key, w.n), make([]ma.Multiaddr, w.n)
	for v := range w.n {
		seed := sha256.Sum256(fmt.Appendf(nil, "test node %d", v))
		key, err := identity.Generate(bytes.NewReader(seed[:]))
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		keys[v] = key
		addresses[v] = ma.StringCast(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", l.Addr().(*net.TCPAddr).Port))
	}
	var configs []transport.Config
	for v := range step.NodeID(w.n) {
		c := transport.Config{
			Self: v, Key: keys[v], Listen: []ma.Multiaddr{addresses[v]}, MaxFrame: MaxFrame(w.params),
			BackoffMin: 5 * time.Millisecond, BackoffMax: 200 * time.Millisecond,
		}
		for _, u := range w.neighbours(v) {
			c.Neighbours = append(c.Neighbours, transport.Neighbour{ID: u, Peer: keys[u].Peer(), Addrs: []ma.Multiaddr{addresses[u]}})
		}
		configs = append(configs, c)
	}
	return configs
}

// echoTimes are how long a frame takes to and fro. Each of the two does something before it throws it back, nil: nothing.
func echoTimes(b *testing.B, nodes func(step.NodeID) transport.Transport, params, rounds int, before func(v step.NodeID)) []time.Duration {
	ctx := context.Background()
	here, there := nodes(0), nodes(1)
	defer here.Close()
	eventually(b, "the link is up", func() bool { return here.Connected(1) && there.Connected(0) })
	frame := make([]byte, 8*params+40)
	throw := func(t transport.Transport, to step.NodeID) bool {
		for {
			in, err := t.Receive(ctx)
			if err != nil {
				return false
			}
			if !in.Up {
				in.Release()
				if before != nil {
					before(1 - to)
				}
				return t.Send(ctx, to, frame) == nil
			}
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for throw(there, 0) {
		}
	}()
	if err := here.Send(ctx, 1, frame); err != nil {
		b.Fatal(err)
	}
	points := []time.Time{time.Now()}
	for range rounds {
		if !throw(here, 1) {
			b.Fatal("the echo broke off")
		}
		points = append(points, time.Now())
	}
	there.Close()
	<-done
	return between(points)
}

// durableTimes are echoTimes of two who commit an entry of a hop's size before they throw a frame back.
func durableTimes(b *testing.B, w *world, nodes func(step.NodeID) transport.Transport, params, rounds int) []time.Duration {
	commits := [2]func(){aloneLedger(b, w), aloneLedger(b, w)}
	return echoTimes(b, nodes, params, rounds, func(v step.NodeID) { commits[v]() })
}

// commitTimes are how long commits of a hop's size take.
func commitTimes(b *testing.B, w *world, rounds int) []time.Duration {
	commit := aloneLedger(b, w)
	points := []time.Time{time.Now()}
	for range rounds {
		commit()
		points = append(points, time.Now())
	}
	return between(points)
}

// aloneLedger is a ledger of nobody, and what commits an entry of a hop's size to it.
func aloneLedger(b *testing.B, w *world) (commit func()) {
	folder, err := os.MkdirTemp(w.folder, "alone")
	if err != nil {
		b.Fatal(err)
	}
	l, err := openLedger(filepath.Join(folder, "ledger"), 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		l.Close()
		os.RemoveAll(folder)
	})
	m := w.machine(0)
	var out step.Out
	m.Start(&out)
	e, turn := ledger.Entry{State: m.Snapshot(nil)}, step.Turn(0)
	return func() {
		e.Time = time.Unix(0, int64(turn))
		e.Releases = []ledger.Release{{Release: step.Release{To: 1, Turn: turn}, Body: BodyDigest(out.Msgs[0].Body)}}
		e.Received = []ledger.Key{{Peer: 1, Kind: 1, Turn: turn}}
		if err := l.Commit(e); err != nil {
			b.Error(err)
		}
		turn++
	}
}
