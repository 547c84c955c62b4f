package trainer

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// A Crew is a group of processes of one program. A question goes to a free process, and every process gives the same
// answer.
type Crew struct {
	all  []*Trainer
	free chan *Trainer
}

// OpenCrew starts processes copies of a program. It fails unless all describe themselves as the first does.
func OpenCrew(ctx context.Context, o Options, processes int) (*Crew, error) {
	switch {
	case processes < 1 || processes > mostProcesses:
		return nil, fault.New(fmt.Sprintf("--models %d", processes), fmt.Sprintf("give how many processes of the program there are to be, 1 to %d", mostProcesses))
	case processes > 1 && attached(o.Command):
		return nil, fault.New(fmt.Sprintf("--models %d: %s is one program that runs already", processes, o.Command), "leave --models out, or give a command that starts the program")
	}
	c := &Crew{free: make(chan *Trainer, processes)}
	for range processes {
		t, err := Open(ctx, o)
		if err == nil && len(c.all) > 0 && !t.hello.same(c.all[0].hello) {
			t.Close()
			err = fault.New("--models: two processes of the program have other models or rows", "have it hold the same every time it is started")
		}
		if err != nil {
			c.Close()
			return nil, err
		}
		c.all = append(c.all, t)
		c.free <- t
	}
	return c, nil
}

// mostProcesses is the largest number of processes of one program.
const mostProcesses = 1024

// Hello returns the description that the program gave of itself.
func (c *Crew) Hello() Hello { return c.all[0].Hello() }

// Initial returns the initial parameters in the order of the layout. The caller must not change them.
func (c *Crew) Initial() []float64 { return c.all[0].Initial() }

// Rows returns the number of training rows and of test rows.
func (c *Crew) Rows() (train, test int) { return c.all[0].Rows() }

// Tensors returns the tensors of the model in the order of the layout.
func (c *Crew) Tensors() []report.Tensor { return c.all[0].Tensors() }

// Err implements model.Program.
func (c *Crew) Err() error {
	for _, t := range c.all {
		if err := t.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Gradients implements model.Program.
func (c *Crew) Gradients(theta []float64, rows []int, begin func(), take func(model.Block)) error {
	t := <-c.free
	defer func() { c.free <- t }()
	return t.Gradients(theta, rows, begin, take)
}

// Score implements model.Program.
func (c *Crew) Score(theta []float64, rows []int) (model.Scored, error) {
	t := <-c.free
	defer func() { c.free <- t }()
	return t.Score(theta, rows)
}

// Close ends all processes.
func (c *Crew) Close() {
	for _, t := range c.all {
		t.Close()
	}
}
