package node

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

func body(x float64) []float64 { return []float64{x, -x} }

// Each body that goes to somebody who has not had it gets a release: the
// machine's, or a further one of the value that it is.
func TestRowsCoverAllBodies(t *testing.T) {
	made := step.Release{From: 3, To: 1, Turn: 7, Contributed: true, Sensitivity: 2, NoiseStd: 5}
	to := func(r step.Release, v step.NodeID) step.Release { r.To = v; return r }
	msg := func(v step.NodeID, turn step.Turn, x float64) step.Msg {
		return step.Msg{Kind: 1, From: 3, To: v, Turn: turn, Body: body(x)}
	}
	known := newCovered(2, 1, 0)
	known.released(ledger.Release{Release: made, Body: BodyDigest(body(1))})
	known.left(payload{key: ledger.Key{Peer: 1, Kind: 1, Turn: 8}, body: BodyDigest(body(1))})
	for name, c := range map[string]struct {
		made []step.Release
		msgs []step.Msg
		want []ledger.Release
	}{
		"carried":      {[]step.Release{made}, []step.Msg{msg(1, 9, 4)}, []ledger.Release{{Release: made, Body: BodyDigest(body(4))}}},
		"stays":        {[]step.Release{to(made, 3)}, nil, []ledger.Release{{Release: to(made, 3)}}},
		"again":        {nil, []step.Msg{msg(1, 8, 1)}, nil},
		"elsewhere":    {nil, []step.Msg{msg(2, 8, 1)}, []ledger.Release{{Release: to(made, 2), Body: BodyDigest(body(1))}}},
		"another turn": {nil, []step.Msg{msg(1, 30, 1)}, nil},
		"passed on":    {nil, []step.Msg{msg(2, 8, 6)}, []ledger.Release{{Release: step.Release{From: 3, To: 2, Turn: 8}, Body: BodyDigest(body(6))}}},
		"shown at stays": {[]step.Release{to(made, 3)}, []step.Msg{msg(2, 8, 6)},
			[]ledger.Release{{Release: to(made, 3)}, {Release: to(made, 2), Body: BodyDigest(body(6))}}},
		"no body": {nil, []step.Msg{{Kind: 2, To: 1, Turn: 8}}, nil},
	} {
		payloads, err := known.payloads(c.msgs)
		if err != nil {
			t.Fatal(err)
		}
		if got := known.rows(3, c.made, payloads); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", name, got, c.want)
		}
	}
	if _, err := known.payloads([]step.Msg{msg(1, 8, 2)}); err == nil {
		t.Error("other numbers under the same name are taken")
	}
}

// What covered remembers is bounded, and the last of it is kept.
func TestCoveredIsBounded(t *testing.T) {
	c := newCovered(1, 1, 0)
	for i := range 1000 {
		d := BodyDigest(body(float64(i)))
		c.released(ledger.Release{Release: step.Release{To: 1, Turn: step.Turn(i)}, Body: d})
		c.left(payload{key: ledger.Key{Peer: 1, Turn: step.Turn(i)}, body: d})
		if len(c.bodies) > c.most || len(c.sources) > c.most || len(c.messages) > c.most || len(c.oldest) > c.most || len(c.sent) > c.most {
			t.Fatalf("%d bodies after %d", len(c.bodies), i)
		}
		if c.sources[laneBody{body: d}].Turn != step.Turn(i) || c.messages[ledger.Key{Peer: 1, Turn: step.Turn(i)}] != d {
			t.Fatalf("turn %d is forgotten", i)
		}
	}
}

// A digest tells apart what bits tell apart.
func TestBodyDigest(t *testing.T) {
	seen := map[ledger.Digest]bool{}
	for _, x := range [][]float64{nil, {0}, {math.Copysign(0, -1)}, {0, 0}, {1, 2}, {2, 1}} {
		d := BodyDigest(x)
		if seen[d] {
			t.Errorf("%v has the digest of another", x)
		}
		seen[d] = true
	}
}

// Timers go off in the order of their times, none early.
func TestTimersGoOffInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q timers
		at := rapid.SliceOfN(rapid.Int64Range(0, 50), 0, 30).Draw(t, "at")
		for i, a := range at {
			q.arm(time.Duration(a), step.Timer{Turn: step.Turn(i)})
		}
		left := len(at)
		for now := time.Duration(0); now <= 50; now++ {
			for {
				timer, off := q.pop(now)
				if !off {
					break
				}
				left--
				if due := at[timer.Turn]; time.Duration(due) != now {
					t.Fatalf("timer for %d goes off at %d", due, now)
				}
			}
		}
		if left != 0 || q.next() < time.Hour {
			t.Fatalf("%d timers are left", left)
		}
	})
}

// What is read of a ledger's state is what was written, and no bytes do harm.
func FuzzReadRecord(f *testing.F) {
	f.Add(record{incarnation: 300}.append(nil, nil))
	f.Add(record{incarnation: 1, started: true}.append(nil, func(b []byte) []byte { return append(b, "state"...) }))
	f.Add([]byte{1, 0x80})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readRecord(data)
		if err != nil {
			return
		}
		again, err := readRecord(r.append(nil, func(b []byte) []byte { return append(b, r.machine...) }))
		if err != nil || again.incarnation != r.incarnation || again.started != r.started || !bytes.Equal(again.machine, r.machine) {
			t.Fatalf("%x: %+v, then %+v, %v", data, r, again, err)
		}
	})
}
