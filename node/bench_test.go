package node

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
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

// BenchmarkHop measures the hops of a walk between two daemons, over TCP each in a process of its own, each with a
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
	s := newStage(b, params, b.N+3)
	if disk == "disk" {
		s.folder = b.TempDir()
	}
	if carrier == "tcp" {
		s.ports = freePorts(b, s.n)
	}
	half := b.N/2 + 1
	echoes, commits, durable := s.echoes(half, false), commitTimes(b, s.world, half), s.echoes(half, true)
	b.ResetTimer()
	hops := s.hops()
	b.StopTimer()
	echoes, commits = append(echoes, s.echoes(half, false)...), append(commits, commitTimes(b, s.world, half)...)
	durable = append(durable, s.echoes(half, true)...)
	hop, echo, commit, least := median(hops)/2, median(echoes)/2, median(commits), median(durable)/2
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

// freePorts are ports of this machine that nobody uses.
func freePorts(t testing.TB, count int) (ports []int) {
	for range count {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// loopback are the configurations of real transports on free ports.
func loopback(t testing.TB, w *world) []transport.Config { return onPorts(t, w, freePorts(t, w.n)) }

// onPorts are the configurations of real transports on the given ports of this machine.
func onPorts(t testing.TB, w *world, ports []int) (configs []transport.Config) {
	keys, addresses := make([]identity.Key, w.n), make([]ma.Multiaddr, w.n)
	for v := range w.n {
		seed := sha256.Sum256(fmt.Appendf(nil, "test node %d", v))
		key, err := identity.Generate(bytes.NewReader(seed[:]))
		if err != nil {
			t.Fatal(err)
		}
		keys[v], addresses[v] = key, ma.StringCast(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", ports[v]))
	}
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

// commitTimes are how long commits of a hop's size take.
func commitTimes(b testing.TB, w *world, rounds int) []time.Duration {
	commit := aloneLedger(b, w)
	points := []time.Time{time.Now()}
	for range rounds {
		commit()
		points = append(points, time.Now())
	}
	return between(points)
}

// aloneLedger is a ledger of nobody, and what commits an entry of a hop's size to it.
func aloneLedger(b testing.TB, w *world) (commit func()) {
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
		e.Received = []ledger.Receipt{{Key: ledger.Key{Peer: 1, Kind: 1, Turn: turn}}}
		if err := l.Commit(e); err != nil {
			b.Error(err)
		}
		turn++
	}
}
