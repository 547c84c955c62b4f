package node

import (
	"context"
	"sync"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Asks are questions of the machine to an outside program, which may take any time. Meanwhile the node receives,
// confirms and repeats. A question that is open when the node stops is asked again after its restart, because
// nothing has been released on it.
type asks struct {
	ctx     context.Context
	one     sync.Mutex // serialises the questions
	all     sync.WaitGroup
	answers chan answered
}

// answered is a question with its answer.
type answered struct {
	asked step.Ask
	mean  []float64
	err   error
}

// begin starts a queue of questions that are answered until ctx ends.
func (a *asks) begin(ctx context.Context) { a.ctx, a.answers = ctx, make(chan answered) }

// end waits for the goroutines that answer.
func (a *asks) end() { a.all.Wait() }

// ask starts a goroutine that has a question answered.
func (a *asks) ask(answer func(context.Context, *step.Ask) ([]float64, error), asked step.Ask) {
	a.all.Go(func() {
		a.one.Lock()
		defer a.one.Unlock()
		got := answered{asked: asked}
		if a.ctx.Err() != nil {
			return
		}
		if answer == nil {
			got.err = fault.New("the machine asks, and nobody answers", "this is a fault in the program that starts the node")
		} else {
			got.mean, got.err = answer(a.ctx, &asked)
		}
		select {
		case a.answers <- got:
		case <-a.ctx.Done():
		}
	})
}

// answered returns the channel of answers. It returns nil while the node waits to go on.
func (n *Node) answered() <-chan answered {
	if n.restart.waits {
		return nil
	}
	return n.asks.answers
}

// takeAnswer gives the machine an answer.
func (n *Node) takeAnswer(a answered) error {
	if a.err != nil {
		return a.err
	}
	if n.parting() {
		return nil
	}
	n.out.Reset()
	n.input = n.now()
	n.config.Machine.(step.Asking).Answer(a.asked.Turn, a.asked.Lane, a.mean, &n.out)
	return n.carryOut(nil)
}
