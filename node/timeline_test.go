package node

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// What becomes of a token between two daemons, in the order of it.
const (
	arrived   = iota // the transport hands it over
	computed         // what follows from it is about to be committed
	committed        // that is durable
	taken            // the link's goroutine has the next token
	written          // and the operating system
	moments
)

// stages are what goes from each moment to the next, and from the last to the first of the next hop.
var stages = [moments]string{"compute-us", "commit-us", "wake-us", "write-us", "wire-us"}

// A timeline is when what became of the token of each turn.
type timeline struct {
	sync.Mutex
	at map[step.Turn]*[moments]time.Time
}

func (l *timeline) note(t step.Turn, moment int) {
	now := time.Now()
	l.Lock()
	defer l.Unlock()
	if l.at[t] == nil {
		l.at[t] = new([moments]time.Time)
	}
	if l.at[t][moment].IsZero() {
		l.at[t][moment] = now
	}
}

// watched notes when frames as long as a token's come and go: tokens of turns 0, 1, .. in order.
type watched struct {
	transport.Transport
	line     *timeline
	longest  int
	in, next step.Turn // of the next such frame that comes, and that goes
}

func (w *watched) Receive(ctx context.Context) (transport.Inbound, error) {
	in, err := w.Transport.Receive(ctx)
	if len(in.Frame) >= w.longest {
		w.line.note(w.in, arrived)
		w.in += 2
	}
	return in, err
}

func (w *watched) Send(ctx context.Context, to step.NodeID, frame []byte) error {
	if len(frame) < w.longest {
		return w.Transport.Send(ctx, to, frame)
	}
	t := w.next
	w.next += 2
	w.line.note(t, taken)
	defer w.line.note(t, written)
	return w.Transport.Send(ctx, to, frame)
}

// BenchmarkHopTimeline takes a hop between two daemons apart: medians of what goes from each moment of a token to the next, in
// microseconds.
func BenchmarkHopTimeline(b *testing.B) {
	const params = 1000
	s := newStage(b, params, b.N+1)
	w := s.world
	w.folder, s.ports = b.TempDir(), freePorts(b, w.n)
	line := &timeline{at: map[step.Turn]*[moments]time.Time{}}
	w.edit = func(v step.NodeID, c *Config) {
		c.Transport.Close()
		c.Transport = &watched{s.transport(v), line, 8 * params, 2 - step.Turn(v), step.Turn(v)}
		c.Gate = func(e *ledger.Entry) error {
			for _, r := range e.Releases {
				line.note(r.Turn, computed)
			}
			return nil
		}
		c.Inspect = func(r step.Release) { line.note(r.Turn, committed) }
	}
	b.ResetTimer()
	w.run()
	b.StopTimer()
	var spans [moments][]time.Duration
	for t, at := range line.at {
		next := line.at[t+1]
		if t == 0 || next == nil || next[arrived].IsZero() {
			continue
		}
		for i := range at {
			end := next[arrived]
			if i+1 < moments {
				end = at[i+1]
			}
			spans[i] = append(spans[i], end.Sub(at[i]))
		}
	}
	for i, name := range stages {
		if len(spans[i]) > 0 {
			b.ReportMetric(float64(median(spans[i]).Nanoseconds())/1000, name)
		}
	}
}
