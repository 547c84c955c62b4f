package walk

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Protocol holds the settings of a run, on which all nodes agree.
type Protocol struct {
	descent.Local // the step of every turn
	Nodes         int
	Steps         int   // turns in which the token is updated, >= 1
	BurnIn        int   // turns before them in which the token only moves
	Cap           int   // most contributions of one node, over all tokens; 0: no cap
	EdgeCap       int   // most contributions of a node to one token after receipts from one neighbour, or from itself; 0: no cap
	After         After // action of a node that has reached its cap
	Start         step.NodeID
	Lane          step.Lane     // lane of the token, and so of its messages, releases and draws
	Tokens        int           // number of tokens, in lanes 0, 1, ..; 0 means 1. Only the protocol of one token (Token) can be run
	Starts        []step.NodeID // where each of several tokens starts; nil: all at Start
	Skip          float64       // probability that a holder, by its own draw, adds noise as at its cap instead of contributing
	Handover      Handover
	// Announce has the last holder tell all nodes that the run has ended. Final has it send them the last token.
	Announce, Final bool

	// Kernel returns the kernel of holders, one for every hopper; nil: the gradient step of Local.
	Kernel func(l *descent.Local, source noise.Source, chance Chance) Kernel
	// Keeps has every node keep a private vector between its turns, as long as the token and initially equal to it.
	// The kernel must then be a Keeper. The vector depends on the tokens that the node has received and handed on,
	// but is never sent. It is part of every snapshot, because it could not be recomputed after a crash. A node
	// without data contributes too, with constant losses.
	Keeps bool
	// Updates holds the properties of the kernel's updates; nil: those of Local.
	Updates *model.Update
	// Holder returns the node whose turn it is, if that is public. A token of another node's turn, or from another
	// node than the holder before, is dropped. nil: the holder is random.
	Holder func(t step.Turn) step.NodeID
	// Box is the half-width of the public box if that of Local does not apply to the token; 0: that of Local.
	Box float64
}

// Handover defines the treatment of a token whose next holder does not answer. The zero value waits for ever: there
// is exactly one token, and a node that never returns ends the run.
//
// Other values declare a successor from a copy, with a higher epoch. If the lost token was not lost, two tokens walk
// until the one of the lower epoch meets a node that has seen the higher. A turn can then be taken twice, by
// different nodes, though no node contributes more often than Cap. The observers of a contribution then depend on
// failures, so that only the local loss is a bound.
type Handover struct {
	Around int // ticks without an answer after which another neighbour is tried; 0: never
	Lease  int // ticks after which a holder that has not passed the token on is probed, and after as many more replaced; 0: never
}

// After names the action of a node that has reached its cap.
type After uint8

// NoiseOnly keeps protecting the other nodes (000 Remark 5). Forward passes the token on unchanged, which suffices
// when every release is public anyway.
const (
	NoiseOnly After = iota
	Forward
)

// Turns returns the number of turns of the whole run, for each token.
func (p *Protocol) Turns() step.Turn { return step.Turn(p.BurnIn + p.Steps) }

// Bound returns the half-width of the box that tokens are confined to; see descent.Local.
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

// A Node is the state of a node in a run.
type Node struct {
	Contributions int32
	Scale         float64     // see descent.Local
	From          step.NodeID // with an EdgeCap: the previous holder, or this node itself at the start and where the token stayed

	crossed map[step.NodeID]int32 // with an EdgeCap: contributions after receipts, by sender
	own     []float64             // with Protocol.Keeps: the private vector
}

// NewNodes returns all nodes of a run before its first turn, with the scales of their gradients, in one block of
// memory.
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

// A Router draws the holder of the token of a lane after the given turn. It has no access to data, because the path
// must not depend on learning.
type Router interface {
	Next(at step.NodeID, t step.Turn, lane step.Lane) step.NodeID
	// Away draws whether the holder skips the turn, with the given probability.
	Away(at step.NodeID, t step.Turn, lane step.Lane, probability float64) bool
	// Again draws another holder, in attempt attempt, after silent has not answered.
	Again(at step.NodeID, t step.Turn, lane step.Lane, attempt int, silent step.NodeID) step.NodeID
}
