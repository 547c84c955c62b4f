package sim

import (
	"container/heap"
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Network defines the faults of a virtual network. The zero Network delivers each message once, one tick later,
// in order.
type Network struct {
	Seed      uint64
	Delay     int     // the largest number of extra ticks, drawn uniformly: reorders
	Loss      float64 // probability that a message is lost, < 1
	Duplicate float64 // probability that it arrives twice
	// Down reports whether a node is off at a tick. It then neither receives nor wakes, but keeps its state.
	// nil: never.
	Down func(node step.NodeID, tick int64) bool
	// Dead reports whether a node is off for good at a tick. Everything sent to it is dropped. nil: never.
	Dead func(node step.NodeID, tick int64) bool
	// Answer answers the questions of machines (step.Asking), after the delay of a message. nil: there must be
	// none.
	Answer func(node step.NodeID, asked *step.Ask) ([]float64, error)
	// MaxEvents ends a run that makes no progress; 0 means 100 million.
	MaxEvents int
}

// Traffic counts the events of a virtual network.
type Traffic struct {
	Sent, Lost, Duplicated, Missed int   // Missed: arrived while the receiver was down or dead
	Numbers                        int   // float64 values in sent bodies
	Ticks                          int64 // virtual time of the last event
	Done                           int   // machines that saw the end
}

// Run starts every machine and delivers their messages and timers until nothing is pending. seen receives each
// release, in the order made.
func (n Network) Run(ctx context.Context, machines []step.Machine, seen func(step.Release)) (Traffic, error) {
	r := &run{net: n, machines: machines, seen: seen}
	for i, m := range machines {
		r.out.Reset()
		m.Start(&r.out)
		r.carryOut(step.NodeID(i))
	}
	limit := n.MaxEvents
	if limit == 0 {
		limit = 100_000_000
	}
	for events := 0; len(r.queue) > 0; events++ {
		if events >= limit {
			return r.traffic, fault.New(fmt.Sprintf("the virtual network carried %d events without coming to an end", events),
				"lower its loss, or bring nodes that are down back up")
		}
		if events%checkEvery == 0 && ctx.Err() != nil {
			return r.traffic, ctx.Err()
		}
		r.deliver(heap.Pop(&r.queue).(event))
		if r.err != nil {
			return r.traffic, r.err
		}
	}
	return r.traffic, nil
}

// run is the state of one Network.Run.
type run struct {
	net      Network
	machines []step.Machine
	seen     func(step.Release)
	queue    events
	now      int64
	seq      uint64
	stream   step.Stream
	out      step.Out
	traffic  Traffic
	err      error // error of an answer
}

func (r *run) deliver(e event) {
	r.now = e.tick
	r.traffic.Ticks = e.tick
	node := e.node()
	if r.net.Dead != nil && r.net.Dead(node, r.now) {
		r.traffic.Missed++
		return
	}
	if r.net.Down != nil && r.net.Down(node, r.now) {
		r.miss(e)
		return
	}
	r.out.Reset()
	switch {
	case e.asked != nil:
		r.machines[node].(step.Asking).Answer(e.asked.Turn, e.asked.Lane, e.msg.Body, &r.out)
	case e.timer:
		r.machines[node].Tick(step.Timer{Turn: e.msg.Turn, Lane: e.msg.Lane}, &r.out)
	default:
		r.machines[node].Step(e.msg, &r.out)
	}
	r.carryOut(node)
}

// miss drops a message to a node that is down. It postpones a timer or an answer until the node is back.
func (r *run) miss(e event) {
	if !e.timer && e.asked == nil {
		r.traffic.Missed++
		return
	}
	e.tick++
	heap.Push(&r.queue, e)
}

func (r *run) carryOut(node step.NodeID) {
	for _, release := range r.out.Releases {
		r.seen(release)
	}
	for _, m := range r.out.Msgs {
		r.send(m)
	}
	for _, t := range r.out.Timers {
		r.push(event{tick: r.now + int64(t.Delay), timer: true, msg: step.Msg{To: node, Turn: t.Turn, Lane: t.Lane}})
	}
	for _, a := range r.out.Asks {
		r.answer(node, a)
	}
	if r.out.Done {
		r.traffic.Done++
	}
}

// answer has a question answered, and delivers the answer some time later.
func (r *run) answer(node step.NodeID, asked step.Ask) {
	mean, err := r.net.Answer(node, &asked)
	if err != nil {
		r.err = err
		return
	}
	delay := int64(1)
	if r.net.Delay > 0 {
		delay += r.stream.At(r.net.Seed, node, step.Turn(r.seq), 1, step.Network).Int64N(int64(r.net.Delay) + 1)
	}
	r.push(event{tick: r.now + delay, asked: &asked, msg: step.Msg{To: node, Body: mean}})
}

// send decides a message's fate from its number alone.
func (r *run) send(m step.Msg) {
	r.traffic.Sent++
	r.traffic.Numbers += len(m.Body)
	fate := r.stream.At(r.net.Seed, m.To, step.Turn(r.seq), 0, step.Network)
	if r.net.Loss > 0 && fate.Float64() < r.net.Loss {
		r.seq++
		r.traffic.Lost++
		return
	}
	copies := 1
	if r.net.Duplicate > 0 && fate.Float64() < r.net.Duplicate {
		copies = 2
		r.traffic.Duplicated++
	}
	for range copies {
		delay := int64(1)
		if r.net.Delay > 0 {
			delay += fate.Int64N(int64(r.net.Delay) + 1)
		}
		sent := m
		sent.Body = slices.Clone(m.Body)
		r.push(event{tick: r.now + delay, msg: sent})
	}
}

func (r *run) push(e event) {
	e.seq = r.seq
	r.seq++
	heap.Push(&r.queue, e)
}

// An event is a message to deliver, a timer to fire or an answer.
type event struct {
	tick  int64
	seq   uint64
	timer bool
	asked *step.Ask // answered with the Body of msg
	msg   step.Msg
}

func (e event) node() step.NodeID { return e.msg.To }

// events is a heap ordered by time, then by the order of sending.
type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].tick < q[j].tick || q[i].tick == q[j].tick && q[i].seq < q[j].seq
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}
