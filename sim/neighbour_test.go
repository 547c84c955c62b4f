package sim

import (
	"bytes"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/node/pairing"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A fed machine is node 0 of six, to which a test writes everything that the others send.
type fed struct {
	*gossip.Machine
	g             *Gossip
	out           step.Out
	revealed      []step.NodeID
	sent, charged int
}

func feed(t *testing.T, rounds int) *fed {
	g := calling(t, 1, 1, 0, rounds)
	f := &fed{Machine: g.caller(0, 2, 1), g: g}
	f.Start(&f.out)
	for u := step.NodeID(1); u < 6; u++ {
		f.get(u, gossip.Key, 0, 1, other(u, 2).Shown())
	}
	return f
}

func other(u step.NodeID, life byte) *pairing.Noise {
	shared, err := pairing.New(bytes.NewReader(bytes.Repeat([]byte{byte(8 * u), life}, 16)), [32]byte{1}, 0, u)
	if err != nil {
		panic(err)
	}
	shared.Identify(identityOf(u), nil)
	return shared
}

func (f *fed) look() {
	for _, m := range f.out.Msgs {
		if who := step.NodeID(m.Turn / 6 % 6); m.Kind == gossip.Reveal && !slices.Contains(f.revealed, who) {
			f.revealed = append(f.revealed, who)
		}
	}
	last := step.Turn(-1)
	for _, r := range f.out.Releases {
		switch {
		case r.To == r.From:
			f.charged++
		case r.Contributed && r.Turn != last:
			last = r.Turn
			f.sent++
		}
	}
	f.out.Reset()
}

func (f *fed) get(u step.NodeID, kind step.Kind, turn step.Turn, lane step.Lane, body []float64) {
	f.Step(step.Msg{Kind: kind, From: u, To: 0, Turn: turn, Lane: lane, Body: slices.Clone(body)}, &f.out)
	f.look()
}

func (f *fed) tick() {
	f.Tick(step.Timer{Turn: f.Turn(), Lane: 2}, &f.out)
	f.look()
}

// values has all others send their values of a turn, and say whom they have voted against before.
func (f *fed) values(turn step.Turn, against float64) {
	for u := step.NodeID(1); u < 6; u++ {
		f.get(u, gossip.Value, turn, 0, append(make([]float64, f.g.Protocol.Params), against))
	}
}

func vote(u step.NodeID, life byte, round, who int) []float64 {
	s := make([]float64, noise.ShownSize)
	s[0], s[4] = float64(round), float64(who)
	shared := other(u, life)
	return shared.Signed("vote of a run", shared.Digest([][]float64{s, shared.Shown()}))[noise.ShownSize:]
}

// A link that fails twice leaves more than MostLate rounds in doubt.
func TestNoMoreThanMostLateAreCharged(t *testing.T) {
	f := feed(t, 12)
	f.values(0, -1) // node 0 is in round 1; others have heard nothing of it, and go on without it
	for _, u := range []step.NodeID{1, 2, 3} {
		f.get(u, gossip.Ahead, 3, 5, []float64{-1, 1, 1})
	}
	for range 3 {
		f.tick()
	}
	if f.Turn() != 4 {
		t.Fatalf("turn %d", f.Turn())
	}
	f.values(4, -1)
	f.values(5, 0) // its value of 4 was late
	f.values(6, -1)
	if f.charged > gossip.MostLate || f.charged != f.Late() {
		t.Fatalf("%d rounds are charged, %d sent with data", f.charged, f.sent)
	}
}

// Votes of an earlier run of the same spec count for nothing.
func TestVotesOfAnEarlierRunAreRefused(t *testing.T) {
	f := feed(t, 3)
	for who := range 2 {
		for u := step.NodeID(1); u < 6; u++ {
			if int(u) != 4+who {
				f.get(u, gossip.Vote, step.Turn((0*6+4+who)*6)+step.Turn(u), 2, vote(u, 1, 0, 4+who))
			}
		}
	}
	if len(f.revealed) > 0 {
		t.Fatalf("noise shared with %v is revealed in a round, by votes of an earlier run", f.revealed)
	}
}

// A Keep with numbers ends nothing.
func TestKeepsWithNumbersAreDropped(t *testing.T) {
	f := feed(t, 3)
	f.get(1, gossip.Keep, 5*6, 4, make([]float64, f.g.Protocol.Params+1))
	for u := step.NodeID(1); u < 5; u++ {
		f.get(u, gossip.Value, 0, 0, make([]float64, f.g.Protocol.Params+1))
		f.get(u, gossip.Vote, 5*6+step.Turn(u), 2, vote(u, 2, 0, 5))
	}
	for u := step.NodeID(2); u < 5; u++ {
		f.get(u, gossip.Keep, 5*6, 4, nil)
	}
	f.get(1, gossip.Keep, 5*6, 4, nil)
	if f.Turn() != 1 {
		t.Fatalf("turn %d", f.Turn())
	}
}

// A node that sends to all but one, and confirms nothing to that one, does not fill its memory.
func TestUnconfirmedValuesAreForgotten(t *testing.T) {
	f := feed(t, 24)
	for turn := range step.Turn(24) {
		for u := step.NodeID(1); u < 5; u++ {
			f.get(u, gossip.Value, turn, 0, append(make([]float64, f.g.Protocol.Params), -1))
		}
		for range 11 {
			f.tick()
		}
		f.get(1, gossip.Relay, (turn*6+5)*6, 7, append(make([]float64, f.g.Protocol.Params), -1))
		if f.Turn() != turn+1 {
			t.Fatalf("turn %d", f.Turn())
		}
		if err := f.g.caller(0, 1, 1).Restore(f.Snapshot(nil)); err != nil {
			t.Fatalf("in turn %d: %v", f.Turn(), err)
		}
	}
}

// A liar who says that it has not voted against a node hides no quorum that has the node out.
func TestLiarsHideNoQuorum(t *testing.T) {
	for honest := 2; honest <= 3; honest++ { // so many have voted against node 0; with the liar's vote, three are no quorum and four are
		f := feed(t, 4)
		f.values(0, -1)
		for u := step.NodeID(1); u < 6; u++ { // node 1 lies
			against := map[bool]float64{true: 0, false: -1}[u > 1 && int(u) < 2+honest]
			f.get(u, gossip.Value, 1, 0, append(make([]float64, f.g.Protocol.Params), against))
		}
		if want := max(0, honest-2); f.Late() != want {
			t.Fatalf("%d and a liar: %d rounds are charged, want %d", honest, f.Late(), want)
		}
	}
}
