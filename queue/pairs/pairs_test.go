package pairs

import (
	"context"
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/schedule"
)

// shelf keeps data in memory.
type shelf map[queue.Hash][]byte

func (s shelf) Put(_ context.Context, data []byte) (queue.Hash, error) {
	h := queue.HashOf(data)
	s[h] = data
	return h, nil
}

func (s shelf) Get(_ context.Context, h queue.Hash, _ int64) ([]byte, error) {
	if s[h] == nil {
		return nil, errors.New("not found")
	}
	return s[h], nil
}

func (s shelf) GetFile(context.Context, queue.Hash, int64, string) error { panic("no files") }

func aWalk(t *testing.T) walkpath.Walk {
	t.Helper()
	g, err := gen.Parse("er:n=37,p=0.15,connected", 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "")
	if err != nil {
		t.Fatal(err)
	}
	return walkpath.Walk{Walk: schedule.Walk{W: w.Sparse(), Nodes: 37, Turns: 400, Cap: 6, BurnIn: 3, Start: schedule.AnyStart, Update: model.Adding(1)}}
}

// Pairs that were priced elsewhere, in any order, have the bits that they have here; a text that is no block is refused.
func TestPairsElsewhere(t *testing.T) {
	w := aWalk(t)
	here, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	s, p, refused := shelf{}, &Pricer{}, 0
	w.Watch = &walkpath.Watch{Away: func(ctx context.Context, of allpairs.Walk, blocks []int, found func(int, []byte) error) error {
		jobs, err := Send(ctx, s, of, blocks)
		if err != nil {
			return err
		}
		accept := Accept(blocks, found)
		for i := len(jobs) - 1; i >= 0; i-- {
			text, err := p.Run(ctx, s, *jobs[i])
			if err != nil {
				return err
			}
			no := append([]byte(nil), text...)
			binary.LittleEndian.PutUint32(no[40:], 0x7fc00000)
			for _, other := range [][]byte{nil, text[1:], no} {
				if err := accept(i, "w", other); errors.Is(err, walkpath.ErrNoBlock) {
					refused++
				}
			}
			if err := accept(i, "w", text); err != nil {
				return err
			}
		}
		return nil
	}}
	away, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	if here.Status != privacy.Sound || away.Status != privacy.SoundIf || !strings.Contains(away.Grounds()[0], "workers that priced") {
		t.Errorf("here %s, away %s: %q", here.Status, away.Status, away.Grounds())
	}
	for u := range 37 {
		for v := range 37 {
			if u != v && !reflect.DeepEqual(here.Pair(u, v), away.Pair(u, v)) {
				t.Fatalf("pair %d, %d: %v here, %v away", u, v, here.Pair(u, v), away.Pair(u, v))
			}
		}
	}
	if len(s) != 1 || refused != 9 {
		t.Errorf("%d things sent, %d blocks refused", len(s), refused)
	}
}

// What is no walk, or no block of it, is an error.
func TestHostileWalks(t *testing.T) {
	w := aWalk(t)
	text, err := allpairs.Walk{W: w.W, Start: make([]float64, 37), Turns: 5, Cap: 2}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	s, p := shelf{}, &Pricer{}
	for name, data := range map[string][]byte{"no law": text, "in 0 bytes": {}, "ends too early": {1}} {
		h, _ := s.Put(t.Context(), data)
		if _, err := p.Run(t.Context(), s, queue.Job{Setup: h, Body: []byte("0")}); err == nil || name == "no law" && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	of := allpairs.Walk{W: w.W, Start: make([]float64, 37), Turns: 5, Cap: 2}
	of.Start[0] = 1
	jobs, err := Send(t.Context(), s, of, []int{-1, 3, 0})
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range jobs {
		if _, err := p.Run(t.Context(), s, *j); (err == nil) != (i == 2) {
			t.Errorf("block %s: %v", j.Body, err)
		}
	}
}
