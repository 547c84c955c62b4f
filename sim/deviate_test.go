package sim

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/step"
)

// What a neighbour that keeps to no rules says about the walk itself: which
// epoch it is, where the token was, that the run is over.

// victim is node 1 of three in a row, with a cap and a handover, and what it is
// told and says.
type victim struct {
	*walk.Machine
	p *walk.Protocol
}

func newVictim(h walk.Handover) *victim {
	w, _ := pair(1000)
	p := w.Protocol
	p.Nodes, p.Cap, p.Start, p.Handover, p.Announce, p.Final = 3, 500, 2, h, true, true
	w.Holdings = &Slab{Features: 1, X: []float64{1, 0, -1}, Y: []float64{0, 0, 0}, Offsets: []int{0, 1, 2, 3}}
	graph := lazyWalk{{1}, {0, 2}, {1}}
	w.Choose = graph
	return &victim{w.Machines(graph.neighbours, nil)[1].(*walk.Machine), p}
}

// hears is what it says to a message from node 0.
func (v *victim) hears(kind step.Kind, turn step.Turn, epoch uint64, body ...float64) *step.Out {
	var out step.Out
	v.Step(step.Msg{Kind: kind, From: 0, To: 1, Turn: turn, Epoch: epoch, Body: body}, &out)
	return &out
}

// said counts what an input made a machine say or do.
func said(out *step.Out) int { return len(out.Msgs) + len(out.Releases) }

// Where nobody may begin an epoch, none is taken: not by a token, nor by an end,
// a probe or an answer, and not even answered.
func TestForgedEpochsAreDroppedUnderWait(t *testing.T) {
	v := newVictim(walk.Handover{})
	for _, kind := range []step.Kind{walk.Token, walk.End, walk.Probe, walk.Holding, walk.Passed} {
		for epoch := uint64(1); epoch < 1000; epoch += 7 {
			turn := step.Turn(1)
			if kind == walk.End {
				turn = 1000
			}
			if out := v.hears(kind, turn, epoch, 0); said(out) != 0 || v.Epoch() != 0 || v.Contributions() != 0 {
				t.Fatalf("kind %d of epoch %d: %+v", kind, epoch, out)
			}
		}
	}
	if out := v.hears(walk.Token, 1, 0, 0); v.Contributions() == 0 {
		t.Errorf("the true token is not taken: %+v", out)
	}
}

// Where epochs may begin, a neighbour gets no more of them taken at once than
// there are participants, and eight; one more for each silence; and it cannot
// drive the number to where none is left.
func TestForgedEpochsAreCounted(t *testing.T) {
	for _, h := range []walk.Handover{{Around: 640}, {Lease: 320}, {Around: 900, Lease: 320}} {
		v := newVictim(h)
		taken := func() (count int, timers []step.Timer) {
			for range 100 {
				out := v.hears(walk.Token, 1, v.Epoch()+3, 0)
				if len(out.Releases) > 0 {
					count++
				}
				for _, timer := range out.Timers {
					if timer.Turn < 0 {
						timers = append(timers, timer)
					}
				}
			}
			return count, timers
		}
		count, timers := taken()
		if count != 11 || len(timers) != 1 || timers[0].Delay != 640 {
			t.Fatalf("%+v: %d of 100 forged epochs are taken, %v", h, count, timers)
		}
		for range 3 {
			var out step.Out
			v.Tick(timers[0], &out)
			if count, _ := taken(); count != 1 {
				t.Errorf("%+v: %d of 100 are taken after a silence", h, count)
			}
		}
		for range 100 {
			var out step.Out
			v.Tick(timers[0], &out)
			for _, epoch := range []uint64{1 << 62, 3 << 40, v.Epoch() + 3<<21, math.MaxUint64} {
				if out := v.hears(walk.Token, 1, epoch, 0); said(out) != 0 {
					t.Fatalf("%+v: epoch %d is taken after %d", h, epoch, v.Epoch())
				}
			}
		}
	}
}

// A node knows the epochs that it has begun itself; nobody else begins them for it.
func TestNobodyBeginsAnothersEpoch(t *testing.T) {
	v := newVictim(walk.Handover{Around: 640})
	for _, epoch := range []uint64{4, 7, 3001} { // of node 1 of three
		if out := v.hears(walk.Token, 1, epoch, 0); said(out) != 0 {
			t.Errorf("epoch %d, which is its own, is taken: %+v", epoch, out)
		}
	}
	if out := v.hears(walk.Token, 1, 5, 0); len(out.Releases) == 0 {
		t.Errorf("epoch 5, of node 2, is not taken: %+v", out)
	}
}

// A machine that was put down remembers how many epochs it has taken, and goes
// on to take more.
func TestCountOfEpochsSurvives(t *testing.T) {
	h := walk.Handover{Around: 640}
	v := newVictim(h)
	for range 11 {
		v.hears(walk.Token, 1, v.Epoch()+3, 0)
	}
	again := newVictim(h)
	if err := again.Restore(v.Snapshot(nil)); err != nil {
		t.Fatal(err)
	}
	if out := again.hears(walk.Token, 1, again.Epoch()+3, 0); said(out) != 0 {
		t.Errorf("another epoch is taken: %+v", out)
	}
	var out step.Out
	again.Resume(&out)
	for _, timer := range out.Timers {
		again.Tick(timer, &out)
	}
	if out := again.hears(walk.Token, 1, again.Epoch()+3, 0); len(out.Releases) == 0 {
		t.Errorf("no epoch is taken after a silence: %+v", out)
	}
}

// An end that the walk cannot come to is dropped unread.
func TestForgedEndsAreDropped(t *testing.T) {
	for name, forge := range map[string]func(v *victim) *step.Out{
		"before the end":     func(v *victim) *step.Out { return v.hears(walk.End, 999, 0, 0) },
		"of another epoch":   func(v *victim) *step.Out { return v.hears(walk.End, 1000, 3, 0) },
		"without the model":  func(v *victim) *step.Out { return v.hears(walk.End, 1000, 0) },
		"of two models":      func(v *victim) *step.Out { return v.hears(walk.End, 1000, 0, 0, 0) },
		"outside of the box": func(v *victim) *step.Out { return v.hears(walk.End, 1000, 0, 2*v.p.Bound()) },
		"the largest number": func(v *victim) *step.Out { return v.hears(walk.End, 1000, 0, -math.MaxFloat64) },
		"not a number":       func(v *victim) *step.Out { return v.hears(walk.End, 1000, 0, math.NaN()) },
	} {
		v := newVictim(walk.Handover{})
		if out := forge(v); said(out) != 0 {
			t.Errorf("%s: %+v", name, out)
		}
		if _, ended := v.Ended(); ended {
			t.Errorf("%s: it is believed", name)
		}
	}
}

// A token or an end so far ahead that the walk cannot have got there without this
// node is dropped; a token that is just near enough is not.
func TestTooFarAheadIsDropped(t *testing.T) {
	v := newVictim(walk.Handover{})
	v.Expect(10)
	for _, turn := range []step.Turn{11, 500, 999} {
		if out := v.hears(walk.Token, turn, 0, 0); said(out) != 0 {
			t.Fatalf("a token of turn %d is taken: %+v", turn, out)
		}
	}
	if out := v.hears(walk.End, 1000, 0, 0); said(out) != 0 {
		t.Fatalf("the end is believed: %+v", out)
	}
	for v.Turn() < 990 {
		if out := v.hears(walk.Token, v.Turn()+10, 0, 0); len(out.Releases) == 0 {
			t.Fatalf("after turn %d: %+v", v.Turn(), out)
		}
	}
	v.hears(walk.End, 1000, 0, 0)
	if _, ended := v.Ended(); !ended {
		t.Error("the end is not believed")
	}
}

// An end that is believed is contradicted by another one, and under wait by a
// token that had not come to its end. The model does not change.
func TestContradictedEndsAreDisputed(t *testing.T) {
	for name, contradict := range map[string]func(v *victim){
		"another end": func(v *victim) { v.hears(walk.End, 1000, 0, 6) },
		"a token":     func(v *victim) { v.hears(walk.Token, 500, 0, 0) },
	} {
		v := newVictim(walk.Handover{})
		for range 2 { // the second is a repetition
			v.hears(walk.End, 1000, 0, 5)
		}
		if from, disputed := v.Source(); from != 0 || disputed {
			t.Errorf("%s: told by %d, disputed %t", name, from, disputed)
		}
		contradict(v)
		again := newVictim(walk.Handover{})
		if err := again.Restore(v.Snapshot(nil)); err != nil {
			t.Fatal(err)
		}
		for _, v := range []*victim{v, again} {
			model, _ := v.Ended()
			if _, disputed := v.Source(); !disputed || len(model) != 1 || model[0] != 5 {
				t.Errorf("%s: disputed %t, model %v", name, disputed, model)
			}
		}
	}
}

// Without leases nobody has a reason to ask where the token is, and nobody is
// told: the answers would tell the turns at which it was here.
func TestProbesTellNothingUnderWait(t *testing.T) {
	for _, h := range []walk.Handover{{}, {Around: 640}} {
		v := newVictim(h)
		v.hears(walk.Token, 7, 0, 0)
		for turn := range step.Turn(20) {
			if out := v.hears(walk.Probe, turn, 0); said(out) != 0 {
				t.Errorf("%+v: a probe of turn %d is answered: %+v", h, turn, out)
			}
		}
	}
}

// Whatever is sent, and in whatever order: a node's cap holds.
func TestForgedTokensSpendNoMoreThanTheCap(t *testing.T) {
	v := newVictim(walk.Handover{})
	v.p.Cap = 5
	for turn := step.Turn(1); turn < 999; turn++ {
		v.hears(walk.Token, turn, 0, 0)
	}
	if v.Contributions() != 5 {
		t.Errorf("%d contributions, the cap is 5", v.Contributions())
	}
}
