package node

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// eventsAtOnce is the largest number of waiting events that a node handles before it looks at its timers. Messages
// due for repetition may have been answered in these events. A node that is too slow for its neighbours, and
// repeated something for each frame received, would make them as slow, and none would get any further. A neighbour
// that floods the node delays its timers by this many events at most.
const eventsAtOnce = 64

// beat is the number of ticks between two checks for unanswered messages of the daemons.
const beat = 64

// Run takes part in the run. It returns nil once the run has ended and all neighbours know of each other that they
// have seen its end, or once Linger has passed since this node saw it. After an orderly stop it returns ctx.Err().
// It returns any other error if the node cannot go on. The ledger then holds all that was committed, and nothing
// else was sent. Run closes the transport and the ledger. It must be called once.
//
// A machine that is never told of the end, as in a walk that does not announce
// it, runs until ctx ends.
func (n *Node) Run(ctx context.Context) (err error) {
	inner, cancel := context.WithCancel(context.Background())
	n.asks.begin(inner)
	n.senders.start(inner, n.config.Transport, n.links, n.tally)
	events := make(chan event) // unbuffered: frames wait in the transport, whose memory is bounded
	received := make(chan struct{})
	go func() {
		defer close(received)
		receive(inner, n.config.Transport, events)
	}()
	defer func() {
		cancel()
		n.asks.end()
		n.senders.stop()
		err = errors.Join(err, n.config.Transport.Close())
		<-received
		err = errors.Join(err, n.config.Ledger.Close())
		n.publish(Stopped, unlessOrderly(ctx, err))
	}()
	if err := n.begin(); err != nil {
		return err
	}
	if err := unlessOrderly(ctx, n.loop(ctx, events)); err != nil {
		n.config.Log.Error("node stops", "node", n.name(), "error", err, "hint", fault.Hint(err))
		n.senders.drain(lastWords)
		return err
	}
	n.config.Failpoint(FailCheckpoint)
	if err := n.flush(); err != nil {
		return err
	}
	n.senders.drain(drainTime)
	if n.done || n.config.Leave == Goes {
		return nil
	}
	return ctx.Err()
}

// unlessOrderly returns err, or nil if the node was only told to stop.
func unlessOrderly(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// event is a frame, a state change or an error from the transport.
type event struct {
	transport.Inbound
	err error
}

// receive forwards the transport's events until ctx ends.
func receive(ctx context.Context, t transport.Transport, events chan<- event) {
	for {
		in, err := t.Receive(ctx)
		select {
		case events <- event{in, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// begin records the start on disk and resumes the work that was under way.
func (n *Node) begin() error {
	n.record.incarnation++
	if who, is := n.gone(); is && n.config.Names[who] == n.config.NotLeft {
		n.record.gone = 0
		n.config.Log.Warn("by this participant's word, who was said to have left has not", "node", n.name(), "participant", n.config.NotLeft)
	}
	if err := n.commit(ledger.Entry{Start: n.start, Table: n.config.Table, Leaves: n.config.Leave != Remains}); err != nil {
		return err
	}
	n.config.Failpoint(FailStart)
	n.config.Log.Info("node started", "node", n.name(), "incarnation", n.record.incarnation, "recovered", n.record.started)
	if !n.record.started {
		return n.startIfAgreed()
	}
	n.out.Reset()
	n.config.Machine.Resume(&n.out)
	if n.parting() && !n.out.Done {
		return nil
	}
	if err := n.carryOut(nil); err != nil {
		return err
	}
	n.restart.waits = !n.done
	return n.goOnIfSettled()
}

// startIfAgreed starts the machine once all neighbours have agreed.
func (n *Node) startIfAgreed() error {
	if n.parting() {
		return nil
	}
	for _, l := range n.links {
		if !l.everReady {
			return nil
		}
	}
	n.config.Log.Info("all neighbours agreed, machine starts", "node", n.name())
	n.record.started, n.progress = true, n.now()
	n.out.Reset()
	n.input = n.now()
	n.config.Machine.Start(&n.out)
	if err := n.carry(nil, true); err != nil {
		return err
	}
	for _, m := range n.early {
		if err := n.take(m); err != nil {
			return err
		}
	}
	n.early = nil
	return nil
}

// now returns the time since the node was created.
func (n *Node) now() time.Duration { return time.Since(n.began) }

// loop handles one event after the other until the node may stop.
func (n *Node) loop(ctx context.Context, events <-chan event) error {
	period := beat * n.config.Tick
	nextBeat := n.now() + min(period, firstWait)
	wake := time.NewTimer(0)
	defer wake.Stop()
	for ctx.Err() == nil {
		n.publish(n.state(), nil)
		if n.over() {
			return nil
		}
		if over, err := n.parted(); over {
			return err
		}
		wake.Reset(min(n.nextTimer(), nextBeat, n.answers.next()) - n.now())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case a := <-n.answered():
			if err := n.takeAnswer(a); err != nil {
				return err
			}
		case e := <-events:
			if err := n.handleAll(ctx, e, events); err != nil {
				return err
			}
		case <-wake.C:
		}
		if err := n.tick(ctx); err != nil {
			return err
		}
		if n.now() >= n.answers.next() {
			if err := n.flush(); err != nil {
				return err
			}
		}
		if now := n.now(); now >= nextBeat {
			n.beat()
			n.sayWaits()
			if err := errors.Join(n.goOnIfSettled(), n.heardNothing()); err != nil {
				return err
			}
			nextBeat = now + period
		}
	}
	return ctx.Err()
}

// handleAll handles an event and those that wait behind it, up to eventsAtOnce.
func (n *Node) handleAll(ctx context.Context, first event, events <-chan event) error {
	for k, e := 1, first; ; k++ {
		if err := n.handle(e); err != nil || k == eventsAtOnce || ctx.Err() != nil {
			return err
		}
		runtime.Gosched() // lets the receiving goroutine deliver the next event, if any
		select {
		case e = <-events:
		default:
			return nil
		}
	}
}

// nextTimer returns the time of the machine's next timer, math.MaxInt64 while the node waits to go on or leaves.
func (n *Node) nextTimer() time.Duration {
	if n.restart.waits || n.parting() {
		return math.MaxInt64
	}
	return n.timers.next()
}

// tick calls the machine for every timer that has expired.
func (n *Node) tick(ctx context.Context) error {
	for now := n.now(); ctx.Err() == nil && !n.restart.waits && !n.parting(); {
		timer, off := n.timers.pop(now)
		if !off {
			return nil
		}
		n.out.Reset()
		n.input = n.now()
		n.config.Machine.Tick(timer, &n.out)
		if err := n.carryOut(nil); err != nil {
			return err
		}
	}
	return nil
}

// state returns the node's current State.
func (n *Node) state() State {
	switch {
	case n.done:
		return Ended
	case n.parting():
		return Leaving
	case n.record.started:
		return Running
	}
	return Waiting
}

// over reports whether no neighbour needs this node any more.
func (n *Node) over() bool {
	if !n.done {
		return false
	}
	if time.Since(n.doneAt) >= n.config.Linger {
		return true
	}
	for _, l := range n.links {
		if !l.finished || !l.knows && n.config.Transport.Connected(l.id) {
			return false
		}
	}
	return true
}

// take gives the machine a message of a neighbour that has agreed.
func (n *Node) take(m step.Msg) error {
	if !n.record.started && !n.parting() {
		if len(n.early) < 8*len(n.links) {
			n.early = append(n.early, m)
		}
		return nil // its sender repeats it
	}
	if n.restart.waits || n.parting() {
		return nil // likewise
	}
	n.out.Reset()
	n.input = n.now()
	in := receiptOf(m) // before the machine has the message, which may work in its body
	n.config.Machine.Step(m, &n.out)
	return n.carryOut(in)
}
