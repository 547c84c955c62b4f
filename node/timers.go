package node

import (
	"container/heap"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// timers are what a machine wants to be woken for. Times are since the node was
// made, on the clock that nobody can set.
type timers struct{ queue dues }

type due struct {
	at    time.Duration
	timer step.Timer
}

// arm adds a timer.
func (t *timers) arm(at time.Duration, timer step.Timer) { heap.Push(&t.queue, due{at, timer}) }

// next is when the first goes off; far away if there is none.
func (t *timers) next() time.Duration {
	if len(t.queue) == 0 {
		return 1<<63 - 1
	}
	return t.queue[0].at
}

// pop takes a timer that has gone off by now.
func (t *timers) pop(now time.Duration) (step.Timer, bool) {
	if t.next() > now {
		return step.Timer{}, false
	}
	return heap.Pop(&t.queue).(due).timer, true
}

// dues is a heap ordered by time.
type dues []due

func (q dues) Len() int           { return len(q) }
func (q dues) Less(i, j int) bool { return q[i].at < q[j].at }
func (q dues) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *dues) Push(x any)        { *q = append(*q, x.(due)) }
func (q *dues) Pop() any {
	last := len(*q) - 1
	d := (*q)[last]
	*q = (*q)[:last]
	return d
}
