package faults

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/policy"
)

// One participant, in this process, has a clock that jumps by up to a day
// forward and back each time it is read: the run ends, and its ledger is whole.
// Processes read the clock through the kernel, where a test cannot turn it
// without turning it for the whole machine; so there are no tests with all of
// them.
func TestClockJumps(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 4, steps: 200, limit: 1000 * time.Hour})
	running, last := w.allBut()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := experiment.Load(w.spec)
	if err != nil {
		t.Fatal(err)
	}
	f, err := federation.Open(ctx, s, w.names[last])
	if err != nil {
		t.Fatal(err)
	}
	own, err := policy.Load(w.file(last, ".policy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	r, reads := rand.New(rand.NewPCG(1, 2)), 0
	now := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		reads++
		return time.Now().Add(time.Duration(r.IntN(48*3600)-24*3600) * time.Second).Round(0)
	}
	outcome, err := f.Join(ctx, federation.Options{
		Key: w.keys[last], Policy: own, Data: w.file(last, ".csv"), Dir: w.folder(last), Log: slog.New(slog.DiscardHandler), Now: now,
	})
	if err != nil || !outcome.Ended || reads < 50 {
		t.Errorf("ended %v after %d looks at the clock: %v", outcome, reads, err)
	}
	w.ends(running...)
	w.check()
}
