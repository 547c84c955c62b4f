package fixedpoint

import "github.com/hearsay-dp/hearsay/step"

// An Activation selects the active blocks of a step. It depends on the step and on public values, never on data. The
// result of Active is valid until the next call.
type Activation interface {
	Active(k int) []Block
}

// All activates every block in every step.
type All []Block

// Active implements Activation.
func (a All) Active(int) []Block { return a }

// Cyclic activates one block after the other, over and over.
type Cyclic []Block

// Active implements Activation.
func (c Cyclic) Active(k int) []Block {
	b := k % len(c)
	return c[b : b+1]
}

// Uniform activates one block a step, drawn uniformly from a public seed.
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

// Random activates every block with a probability, independently, from a public seed. Some steps may have no active
// block.
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

// everyone is the node in the keys of draws for all nodes.
const everyone step.NodeID = -1
