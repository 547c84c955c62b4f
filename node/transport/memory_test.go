package transport

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/step"

	"go.uber.org/goleak"
)

// arrivals sends frames 0..n-1 from node 0 to node 1 through faults, and is
// what arrives; all that is sent arrives if f only delays.
func arrivals(t *testing.T, f Faults, n int) []int {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	hub := NewHub(MemoryConfig{Neighbours: adjacent, MaxFrame: 8, Queue: 3 * n, Faults: f})
	a, b := hub.Open(0), hub.Open(1)
	defer b.Close()
	defer a.Close()
	for i := range n {
		mustSend(t, a, 1, binary.LittleEndian.AppendUint64(nil, uint64(i)))
	}
	if f.Delay > 0 {
		eventually(t, "late frames arrive", func() bool { return len(b.inbox) == n+1 })
	}
	var got []int
	for len(b.inbox) > 0 {
		if in := <-b.inbox; !in.Up {
			got = append(got, int(binary.LittleEndian.Uint64(in.Frame)))
		}
	}
	return got
}

// The same seed gives the same faults, another seed others. Of 1000 frames
// 20 % are lost: mean 200, standard deviation 12.6; a tolerance of six of them
// raises a false alarm with probability 2e-9, and so for the 10 % that come
// twice. The seed is fixed, so the test either always passes or never.
func TestFaultsFollowTheSeed(t *testing.T) {
	const n = 1000
	f := Faults{Seed: 5, Loss: 0.2, Duplicate: 0.1}
	first := arrivals(t, f, n)
	if again := arrivals(t, f, n); !slices.Equal(first, again) {
		t.Error("the same seed gives other faults")
	}
	f.Seed++
	if other := arrivals(t, f, n); slices.Equal(first, other) {
		t.Error("another seed gives the same faults")
	}
	distinct := len(slices.Compact(slices.Clone(first)))
	if lost := n - distinct; lost < 200-76 || lost > 200+76 {
		t.Errorf("%d of %d frames lost, want about 200", lost, n)
	}
	if twice := len(first) - distinct; twice < 80-52 || twice > 80+52 {
		t.Errorf("%d of %d frames came twice, want about 80", twice, distinct)
	}
}

// Delay changes the order and loses nothing.
func TestDelayReorders(t *testing.T) {
	got := arrivals(t, Faults{Seed: 1, Delay: 50 * time.Millisecond}, 100)
	if slices.IsSorted(got) {
		t.Error("delayed frames arrive in order")
	}
	slices.Sort(got)
	for i, frame := range got {
		if i != frame {
			t.Fatalf("%d frames arrive, frame %d is missing", len(got), i)
		}
	}
}

// A cut link is down on both sides, others are not; healing brings it back and
// says so.
func TestCutAndHeal(t *testing.T) {
	hub := NewHub(MemoryConfig{Neighbours: adjacent, MaxFrame: 8, Queue: 9})
	nodes := []*Memory{hub.Open(0), hub.Open(1), hub.Open(2)}
	hub.Cut(1, 0)
	for _, c := range []struct {
		from, to step.NodeID
		want     error
	}{{0, 1, ErrDown}, {1, 0, ErrDown}, {1, 2, nil}, {2, 1, nil}} {
		err := nodes[c.from].Send(limited(t), c.to, []byte{1})
		if !errors.Is(err, c.want) || nodes[c.from].Connected(c.to) != (c.want == nil) {
			t.Errorf("%d to %d: %v, want %v", c.from, c.to, err, c.want)
		}
	}
	ups := nodes[0].Counters().Ups
	hub.Heal(0, 1)
	if !nodes[0].Connected(1) || nodes[0].Counters().Ups != ups+1 {
		t.Error("the link was not healed")
	}
	hub.Heal(0, 1)
	if nodes[0].Counters().Ups != ups+1 {
		t.Error("a whole link was healed")
	}
	for _, n := range nodes {
		closed(t, n)
	}
}
