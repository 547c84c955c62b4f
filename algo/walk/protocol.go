package walk

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Protocol is everything about a run that all nodes agree on.
type Protocol struct {
	descent.Local // the step of every turn
	Nodes         int
	Steps         int   // turns in which the token is updated, >= 1
	BurnIn        int   // turns before them in which it only walks
	Cap           int   // most contributions of one node, over all tokens; 0: no cap
	EdgeCap       int   // most contributions of a node to one token after receipts from one neighbour, itself too; 0: no cap
	After         After // what a node does once it has reached its cap
	Start         step.NodeID
	Lane          step.Lane     // which token this is, where several walk: all it sends, releases and draws is of this lane
	Tokens        int           // how many walk, in lanes 0, 1, ..; 0 means 1. Only the protocol of one (Token) can be run
	Starts        []step.NodeID // where each of several tokens starts; nil: all at Start
	Skip          float64       // probability that a holder, by a draw of its own, takes no step on its data in a turn, but adds noise as at its cap
	Handover      Handover
	// Announce has the last holder tell everybody that the run has ended, and
	// Final has it show them the last token.
	Announce, Final bool

	// Kernel makes what holders do to the token, one for every hopper; nil: the gradient
	// step of Local.
	Kernel func(l *descent.Local, source noise.Source, chance Chance) Kernel
	// Keeps has every node keep a vector to itself between its turns, as long as the token and at
	// first equal to it: the kernel is a Keeper then. It follows from the tokens that the node
	// was handed and has handed on, but is sent to nobody, so that it is neither lost nor
	// made anew where a process dies: it is in every snapshot. A node without data takes the turns in which
	// others contribute, as one whose losses are constant.
	Keeps bool
	// Updates are what is known of the kernel's updates; nil: those of Local.
	Updates *model.Update
	// Holder says whose turn it is, where that is known to all: a token of another's turn, or from
	// another than who had the turn before, is dropped. nil: chance decides.
	Holder func(t step.Turn) step.NodeID
	// Box is the half-width of the public box where that of Local says nothing of the
	// token; 0: that of Local.
	Box float64
}

// Handover says what becomes of a token whose next holder does not answer. The
// zero value waits for ever: there is exactly one token, and a node that never
// comes back ends the run.
//
// Anything else declares a successor from a copy, with a higher epoch. Where
// the lost token was not lost after all, two walk for a while, until the one of
// the lower epoch meets somebody who has seen the higher; then a turn can have
// been taken twice, by different nodes, though no node ever contributes more
// often than Cap. Who saw what then depends on failures, so only the local loss
// is a bound.
type Handover struct {
	Around int // ticks without an answer after which another neighbour is tried; 0: never
	Lease  int // ticks after which a holder that has not passed the token on is asked, and after as many more succeeded; 0: never
}

// After says what a node that has reached its cap does with the token.
type After uint8

// NoiseOnly keeps protecting the others (000 Remark 5); Forward passes the
// token on unchanged, which is enough when every release is public anyway.
const (
	NoiseOnly After = iota
	Forward
)

// Turns is the number of turns of the whole run, of each token.
func (p *Protocol) Turns() step.Turn { return step.Turn(p.BurnIn + p.Steps) }

// Bound is the half-width of the box that tokens are confined to; see
// descent.Local.
func (p *Protocol) Bound() float64 {
	if p.Box > 0 {
		return p.Box
	}
	return p.Local.Bound(p.Steps)
}

// contributes reports whether a node that holds data contributes once more.
func (p *Protocol) contributes(n *Node) bool {
	return (p.Cap == 0 || int(n.Contributions) < p.Cap) && (p.EdgeCap == 0 || int(n.crossed[n.From]) < p.EdgeCap)
}

// A Node is what a node remembers of a run.
type Node struct {
	Contributions int32
	Scale         float64     // see descent.Local
	From          step.NodeID // with an EdgeCap: who handed the token over, the node itself at the start and where it stayed

	crossed map[step.NodeID]int32 // with an EdgeCap: contributions after receipts, by sender
	own     []float64             // where nodes keep a vector (Protocol.Keeps): this one's
}

// NewNodes are all nodes of a run before its first turn, with the scales of their gradients, in
// memory of one piece.
func (p *Protocol) NewNodes(scale func(v step.NodeID) float64) []Node {
	nodes := make([]Node, p.Nodes)
	var own []float64
	if p.Keeps {
		own = make([]float64, p.Nodes*p.Params)
	}
	for v := range nodes {
		nodes[v].Scale = scale(step.NodeID(v))
		if p.Keeps {
			nodes[v].own = own[v*p.Params : (v+1)*p.Params : (v+1)*p.Params]
			copy(nodes[v].own, p.Initial)
		}
	}
	return nodes
}

// contributed counts a contribution.
func (p *Protocol) contributed(n *Node) {
	n.Contributions++
	if p.EdgeCap == 0 {
		return
	}
	if n.crossed == nil {
		n.crossed = map[step.NodeID]int32{}
	}
	n.crossed[n.From]++
}

// A Router decides who holds the token of a lane after the given turn. It sees no data:
// the path of the token is independent of what is learnt.
type Router interface {
	Next(at step.NodeID, t step.Turn, lane step.Lane) step.NodeID
	// Away draws whether the holder skips the turn, which it does with the given probability.
	Away(at step.NodeID, t step.Turn, lane step.Lane, probability float64) bool
	// Again draws anew, for the attempt-th time, after silent has not answered.
	Again(at step.NodeID, t step.Turn, lane step.Lane, attempt int, silent step.NodeID) step.NodeID
}
