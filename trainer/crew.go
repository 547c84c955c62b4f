package trainer

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// A Crew is several processes of one program. A question goes to one that is free, and the answer is the same whoever gives it.
type Crew struct {
	all  []*Trainer
	free chan *Trainer
}

// OpenCrew starts a program so many times, and holds all to what the first says of itself.
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

// mostProcesses of one program.
const mostProcesses = 1024

// Hello is what the program said of itself.
func (c *Crew) Hello() Hello { return c.all[0].Hello() }

// Initial is what its model begins with, in the order of the layout; borrowed.
func (c *Crew) Initial() []float64 { return c.all[0].Initial() }

// Rows are how many rows it holds to learn from, and for testing.
func (c *Crew) Rows() (train, test int) { return c.all[0].Rows() }

// Tensors are the parts of its model, in the order of the layout.
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

// Close ends all.
func (c *Crew) Close() {
	for _, t := range c.all {
		t.Close()
	}
}
