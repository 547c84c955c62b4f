package node

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A holder that dies for good is succeeded from its predecessor's copy: the
// others end with one model. A body that went to somebody else in its place is
// in the ledger as a release to both, with the same noise; nobody contributes
// more often than the cap says.
func TestDeadHolderIsSucceeded(t *testing.T) {
	for _, place := range []string{FailAfterCommit, FailAfterSend} {
		t.Run(place, func(t *testing.T) {
			f := walkOf(t, 5, 4, 60)
			p := &walk.Protocol{
				Local: local(5), Nodes: 5, Steps: 60, BurnIn: 3, Cap: 12, Start: 1, Announce: true, Final: true,
				Handover: walk.Handover{Around: 640, Lease: 1280},
			}
			f.machine = func(v step.NodeID) step.Durable {
				hopper := walk.NewHopper(p, noise.NewSimulated(7), walk.NewSeeded(lazy(f.neighbours), 7))
				return walk.NewMachine(p, v, f.neighbours(v), slab(5, 4).Examples(v), hopper)
			}
			w := newWorld(t, f, transport.Faults{})
			w.linger = 2 * time.Second // all of it passes: the dead one never says that it has seen the end
			const dead = 2
			w.edit = (&killer{place: place, every: 6, lives: 1, kills: map[step.NodeID]int{0: 1, 1: 1, 3: 1, 4: 1}}).edit
			w.runBut(dead)
			rows := w.checkWire()
			checkCap(t, rows, p.Cap)
			checkCopies(t, rows)
			for v, model := range w.models {
				if v != dead && (model == nil || !slices.Equal(model, w.models[0])) {
					t.Errorf("node %d ends with %v, node 0 with %v", v, model, w.models[0])
				}
			}
		})
	}
}

// runBut runs all nodes once; one is killed and stays away.
func (w *world) runBut(dead step.NodeID) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var group sync.WaitGroup
	for v := range step.NodeID(w.n) {
		group.Go(func() {
			err := w.once(ctx, v)
			if v == dead && !errors.Is(err, errKilled) || v != dead && err != nil {
				w.t.Errorf("node %d: %v", v, err)
			}
		})
	}
	group.Wait()
}

// checkCap: contributions of a node, each with its own turn and epoch, are no
// more than the cap.
func checkCap(t *testing.T, rows []ledger.Row, most int) {
	t.Helper()
	type turn struct {
		from  step.NodeID
		body  ledger.Digest
		epoch uint64
		at    step.Turn
	}
	made, count := map[turn]bool{}, map[step.NodeID]int{}
	for _, r := range rows {
		k := turn{from: r.From, body: r.Body}
		if r.Body == (ledger.Digest{}) {
			k.epoch, k.at = r.Epoch, r.Turn
		}
		if r.Contributed && !made[k] {
			made[k] = true
			count[r.From]++
		}
	}
	for v, c := range count {
		if c > most {
			t.Errorf("node %d contributed %d times, the cap is %d", v, c, most)
		}
	}
}

// checkCopies: one value has one cost, whoever it goes to.
func checkCopies(t *testing.T, rows []ledger.Row) {
	t.Helper()
	first := map[ledger.Digest]ledger.Row{}
	for _, r := range rows {
		if r.Body == (ledger.Digest{}) {
			continue
		}
		f, known := first[r.Body]
		if !known {
			first[r.Body] = r
			continue
		}
		same := f.Contributed == r.Contributed && f.Sensitivity == r.Sensitivity && f.NoiseStd == r.NoiseStd
		if f.From == r.From && !same {
			t.Errorf("one value was released as %+v and as %+v", f.Release, r.Release)
		}
	}
}
