package node

import (
	"container/heap"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// timers holds the machine's timers. Times are since the node was created, on the monotonic clock.
type timers struct{ queue dues }

type due struct {
	at    time.Duration
	timer step.Timer
}

// arm adds a timer.
func (t *timers) arm(at time.Duration, timer step.Timer) { heap.Push(&t.queue, due{at, timer}) }

// next returns the time of the first timer, the largest Duration if there is none.
func (t *timers) next() time.Duration {
	if len(t.queue) == 0 {
		return 1<<63 - 1
	}
	return t.queue[0].at
}

// pop removes and returns a timer that has expired by now, and reports whether there is one.
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
