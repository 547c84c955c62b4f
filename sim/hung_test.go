package sim

import (
	"container/heap"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/step"
)

// due is a message or a timer for a node at a tick.
type due struct {
	at, order int
	to        step.NodeID
	msg       *step.Msg
	timer     step.Timer
}

type dues []due

func (d dues) Len() int { return len(d) }
func (d dues) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].order < d[j].order
}
func (d dues) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *dues) Push(x any)   { *d = append(*d, x.(due)) }
func (d *dues) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// A neighbour that hangs, connected and silent, costs each of the others a silence and an epoch, and another one after long: not one
// for every time that the walk would go there, which were 142 in such a run. Once it is heard again the walk goes there.
func TestAHungNeighbourCostsFewEpochs(t *testing.T) {
	const nodes, hung, steps, around = 5, 2, 800, 640
	w, _ := pair(steps)
	p := w.Protocol
	p.Nodes, p.Cap, p.Start, p.Handover = nodes, steps, 0, walk.Handover{Around: around}
	w.Holdings = &Slab{Features: 1, X: make([]float64, nodes), Y: make([]float64, nodes), Offsets: []int{0, 1, 2, 3, 4, 5}}
	graph := lazyWalk{{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3}}
	w.Choose = graph
	machines := w.Machines(graph.neighbours, nil)
	var queue dues
	order, back, releases, atHung := 0, 0, 0, 0
	carry := func(at int, from step.NodeID, out *step.Out) {
		releases += len(out.Releases)
		if from == hung {
			atHung += len(out.Releases)
		}
		for _, m := range out.Msgs {
			order++
			heap.Push(&queue, due{at + 1, order, m.To, &m, step.Timer{}})
		}
		for _, timer := range out.Timers {
			order++
			heap.Push(&queue, due{at + timer.Delay, order, from, nil, timer})
		}
	}
	for v := range machines {
		var out step.Out
		machines[v].Start(&out)
		carry(0, step.NodeID(v), &out)
	}
	for events := 0; queue.Len() > 0 && releases < steps && events < 100_000; events++ {
		d := heap.Pop(&queue).(due)
		if d.to == hung && releases < steps*3/4 {
			continue
		}
		if back == 0 && releases >= steps*3/4 { // it goes on, and repeats what it had to say
			back = d.at
			for v := range machines {
				if v != hung {
					machines[v].Step(step.Msg{Kind: walk.Ack, From: hung, To: step.NodeID(v), Turn: 0}, &step.Out{})
				}
			}
		}
		var out step.Out
		if d.msg != nil {
			machines[d.to].Step(*d.msg, &out)
		} else {
			machines[d.to].Tick(d.timer, &out)
		}
		carry(d.at, d.to, &out)
	}
	epoch := uint64(0)
	for _, m := range machines {
		epoch = max(epoch, m.(*walk.Machine).Epoch())
	}
	if begun := epoch / nodes; releases < steps || begun < nodes-1 || begun > 2*(nodes-1) {
		t.Errorf("%d of %d turns were taken, and %d epochs begun where each of %d others finds out once", releases, steps, begun, nodes-1)
	}
	if atHung < 10 {
		t.Errorf("after it was heard again the walk was there %d times", atHung)
	}
}
