package node

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// federations are the runs of these tests.
func federations(t testing.TB) map[string]*federation {
	return map[string]*federation{"walk": walkOf(t, 5, 4, 40), "gossip": gossipOf(t, 5, 4, 4)}
}

// rough loses, doubles and delays frames, more than a retry takes.
var rough = transport.Faults{Seed: 3, Loss: 0.2, Duplicate: 0.2, Delay: 5 * time.Millisecond}

// Daemons end with the model of the simulator, bit for bit, and their ledgers
// hold what it released: over a perfect network and over a rough one.
func TestDaemonsAgreeWithTheSimulatorBitForBit(t *testing.T) {
	for name, f := range federations(t) {
		for network, faults := range map[string]transport.Faults{"perfect": {}, "rough": rough} {
			t.Run(name+"/"+network, func(t *testing.T) {
				ignore := goleak.IgnoreCurrent()
				w := newWorld(t, f, faults)
				w.run()
				w.check()
				for v, s := range w.finished {
					if s.State != Stopped || !s.Done || s.Error != "" || s.Incarnation != 1 {
						t.Errorf("node %d: %+v", v, s)
					}
				}
				goleak.VerifyNone(t, ignore)
			})
		}
	}
}

// killer panics at the k-th time that a node comes by a failpoint, in each of
// its first few lives.
type killer struct {
	mu    sync.Mutex
	place string
	every int
	lives int
	kills map[step.NodeID]int
}

func (k *killer) edit(v step.NodeID, c *Config) {
	seen := 0
	c.Failpoint = func(name string) {
		if name != k.place {
			return
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if seen++; seen >= k.every && k.kills[v] < k.lives {
			k.kills[v]++
			panic(errKilled)
		}
	}
}

// Nodes that are killed at any named place, several times each, and started
// again from their ledgers give the same models, bit for bit. No turn is
// contributed twice, and no message has a second body.
func TestRestartedDaemonsAgreeWithTheSimulator(t *testing.T) {
	for name, f := range federations(t) {
		for _, place := range Failpoints() {
			for network, faults := range map[string]transport.Faults{"perfect": {}, "rough": rough} {
				t.Run(name+"/"+place+"/"+network, func(t *testing.T) {
					if testing.Short() && network == "rough" {
						t.Skip("SKIPPED: -short")
					}
					ignore := goleak.IgnoreCurrent()
					k := &killer{place: place, every: 3, lives: 3, kills: map[step.NodeID]int{}}
					w := newWorld(t, f, faults)
					w.edit = k.edit
					switch place {
					case FailStart:
						k.every = 1
					case FailCheckpoint: // the others may be gone already
						k.every, w.linger = 1, 200*time.Millisecond
					}
					w.run()
					w.check()
					w.checkKills(k)
					goleak.VerifyNone(t, ignore)
				})
			}
		}
	}
}

// checkKills: every node was killed and started again.
func (w *world) checkKills(k *killer) {
	w.t.Helper()
	for v := range step.NodeID(w.n) {
		if k.kills[v] == 0 || w.starts[v] != k.kills[v]+1 {
			w.t.Errorf("node %d was killed %d times and started %d times", v, k.kills[v], w.starts[v])
		}
		if got := w.finished[v].Incarnation; got != uint64(w.starts[v]) {
			w.t.Errorf("node %d was started %d times and says %d", v, w.starts[v], got)
		}
	}
}

// fresh is noise that is different at each draw, as that of a real node is.
type fresh struct{}

func (fresh) Add(dst []float64, std float64, _ step.NodeID, _ step.Turn, _ step.Lane) {
	for i := range dst {
		dst[i] += std * rand.NormFloat64()
	}
}

func (fresh) Simulated() bool { return true }

// With noise that is never the same twice, nodes that are killed between the
// draw and the sending still show each value once: what the first commit held
// is what is sent, or nothing of it was.
func TestNoNoiseIsRedrawn(t *testing.T) {
	for _, place := range []string{FailBeforeCommit, FailAfterCommit, FailAfterSend} {
		t.Run(place, func(t *testing.T) {
			f := walkOf(t, 5, 4, 60)
			p := &walk.Protocol{Local: local(5), Nodes: 5, Steps: 60, BurnIn: 3, Cap: 12, Start: 1, Announce: true, Final: true}
			f.machine = func(v step.NodeID) step.Durable {
				hopper := walk.NewHopper(p, fresh{}, walk.NewSeeded(lazy(f.neighbours), 7))
				return walk.NewMachine(p, v, f.neighbours(v), slab(5, 4).Examples(v), hopper)
			}
			k := &killer{place: place, every: 2, lives: 5, kills: map[step.NodeID]int{}}
			w := newWorld(t, f, rough)
			w.edit = k.edit
			w.run()
			w.checkLedgers()
			w.checkKills(k)
			for v, model := range w.models {
				if !slices.Equal(model, w.models[0]) || slices.Equal(model, f.want[0]) {
					t.Errorf("node %d ends with %v, node 0 with %v, the simulator with %v", v, model, w.models[0], f.want[0])
				}
			}
		})
	}
}

// A node that is told to stop does so, and goes on when it is started again.
func TestInterruptedRunGoesOn(t *testing.T) {
	for name, f := range federations(t) {
		t.Run(name, func(t *testing.T) {
			ignore := goleak.IgnoreCurrent()
			w := newWorld(t, f, transport.Faults{})
			half, stop := context.WithCancel(context.Background())
			defer stop()
			releases := 0
			w.edit = func(v step.NodeID, c *Config) {
				if v == 0 {
					c.Inspect = func(step.Release) {
						if releases++; releases == 4 {
							stop()
						}
					}
				}
			}
			var group sync.WaitGroup
			for v := range step.NodeID(f.n) {
				group.Go(func() {
					if err := w.once(half, v); !errors.Is(err, context.Canceled) {
						t.Errorf("node %d was interrupted and says %v", v, err)
					}
				})
			}
			group.Wait()
			for v, s := range w.finished {
				if s.State != Stopped || s.Done || s.Error != "" {
					t.Errorf("interrupted node %d: %+v", v, s)
				}
			}
			w.run()
			w.check()
			goleak.VerifyNone(t, ignore)
		})
	}
}

// A wall clock that jumps to and fro changes the times in the ledger and nothing
// else.
func TestClockJumpsChangeNothing(t *testing.T) {
	w := newWorld(t, walkOf(t, 4, 3, 30), rough)
	w.edit = func(_ step.NodeID, c *Config) {
		calls := 0
		c.Now = func() time.Time {
			calls++
			return time.Unix(1e9, 0).Add(time.Duration(calls*7919%1000-500) * time.Hour)
		}
	}
	w.run()
	w.check()
}

// A hop costs one commit: what only confirms waits for the next. Beyond the hops
// each node commits when it starts, once for the start of its machine, and for
// what it hears of the end and keeps when it stops.
func TestOneCommitAHop(t *testing.T) {
	const steps = 300
	w := newWorld(t, pair(10, steps), transport.Faults{})
	w.tick = time.Second // no message is repeated
	w.edit = func(_ step.NodeID, c *Config) {
		c.Spend = func(r step.Release) []ledger.Spend {
			return []ledger.Spend{{Towards: r.To, Kind: "visits", Amount: 1}}
		}
	}
	w.run()
	commits := uint64(0)
	for _, s := range w.finished {
		commits += s.Counters.Commits
	}
	if commits < steps || commits > steps+2*6 {
		t.Errorf("%d commits for %d hops", commits, steps)
	}
	w.checkSpends()
}

// checkSpends: what a release costs is kept with it.
func (w *world) checkSpends() {
	w.t.Helper()
	want := map[step.NodeID]float64{}
	for _, row := range w.checkWire() {
		want[row.To]++
	}
	for v := range step.NodeID(w.n) {
		l, err := ledger.Open(w.path(v))
		if err != nil {
			w.t.Fatal(err)
		}
		defer l.Close()
		spent, err := l.Spent()
		if err != nil || len(spent) != 1 || spent[0].Amount != want[spent[0].Towards] {
			w.t.Errorf("node %d spent %+v, %v; it is shown %v", v, spent, err, want)
		}
	}
}

// A ledger of another participant or another spec is refused.
func TestForeignLedgerIsRefused(t *testing.T) {
	f := walkOf(t, 4, 3, 10)
	for name, edit := range map[string]func(*Config){
		"spec": func(c *Config) { c.Spec[0]++ },
		"node": func(c *Config) { c.Self, c.Neighbours = 2, f.neighbours(2) },
	} {
		w := newWorld(t, f, transport.Faults{})
		w.edit = func(_ step.NodeID, c *Config) { edit(c) }
		if err := w.once(context.Background(), 0); err == nil || !strings.Contains(err.Error(), "ledger of") || fault.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Over real connections daemons end with the model of the simulator too.
func TestDaemonsOverLibp2p(t *testing.T) {
	for name, f := range federations(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, f, transport.Faults{})
			configs := loopback(t, w)
			k := &killer{place: FailAfterCommit, every: 4, lives: 1, kills: map[step.NodeID]int{}}
			w.tick = time.Millisecond
			w.edit = func(v step.NodeID, c *Config) {
				k.edit(v, c)
				c.Transport.Close()
				real, err := transport.NewLibp2p(configs[v])
				if err != nil {
					t.Error(err)
					return
				}
				c.Transport = &sniffer{Transport: real, w: w}
			}
			w.run()
			w.check()
			w.checkKills(k)
		})
	}
}
