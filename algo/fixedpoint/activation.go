package fixedpoint

import "github.com/hearsay-dp/hearsay/step"

// An Activation says which blocks are active in a step: a function of the step and of
// what everybody knows, never of data. Active borrows its result until the next call.
type Activation interface {
	Active(k int) []Block
}

// All is every block in every step.
type All []Block

// Active implements Activation.
func (a All) Active(int) []Block { return a }

// Cyclic is one block after the other, over and over.
type Cyclic []Block

// Active implements Activation.
func (c Cyclic) Active(k int) []Block {
	b := k % len(c)
	return c[b : b+1]
}

// Uniform is one block a step, each as likely as any other, drawn from a public seed.
type Uniform struct {
	Blocks []Block
	Seed   uint64

	stream step.Stream
}

// Active implements Activation.
func (a *Uniform) Active(k int) []Block {
	b := a.stream.At(a.Seed, everyone, step.Turn(k), 0, step.Route).IntN(len(a.Blocks))
	return a.Blocks[b : b+1]
}

// Random is every block with a probability, by a coin of its own from a public seed: in
// some steps there may be none.
type Random struct {
	Blocks      []Block
	Probability float64 // in (0, 1]
	Seed        uint64

	stream step.Stream
	active []Block
}

// Active implements Activation.
func (a *Random) Active(k int) []Block {
	r := a.stream.At(a.Seed, everyone, step.Turn(k), 0, step.Route)
	a.active = a.active[:0]
	for _, b := range a.Blocks {
		if r.Float64() < a.Probability {
			a.active = append(a.active, b)
		}
	}
	return a.active
}

// everyone is the node that what is drawn for all of them is keyed by.
const everyone step.NodeID = -1
