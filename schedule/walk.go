package schedule

import (
	"fmt"
	"iter"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// AnyStart as a Walk's Start draws the first holder uniformly.
const AnyStart = -1

// A Walk is a random walk of one token, or of several: the law of its path, and
// the turns that contribute. The holder of every turn after the burn-in updates the
// token and adds noise. A node only adds noise if it holds no data, skips the turn, or has contributed its share
// of Cap to this token. The same holds if it has contributed EdgeCap times when this token came from the same neighbour.
type Walk struct {
	Nodes  int            // n >= 1
	W      *sparse.Matrix // transition matrix, rows sum to 1; nil: every node alike, the holder included (complete graph)
	Start  int            // the first holder, of every token, or AnyStart: each token's is drawn for itself
	Turns  int            // turns that update the token, the first holder's included, >= 1
	BurnIn int            // turns before them that change nothing, >= 0
	Cap    int            // most contributions of a node, over all tokens, of which each has a share (Share); 0: no cap
	Final  bool           // the last token is shown to everybody

	EdgeCap int     // most contributions of a node to one token after receipts from one neighbour, itself too, 0: no cap
	Tokens  int     // models that walk independently, each its Turns; 0 means 1
	Starts  []int   // the first holder of each token; nil: Start says it of all
	Skip    float64 // probability that a holder, by a draw of its own for each turn, contributes nothing and adds noise only
	Power   float64 // step sizes fall as 1/(turn+1)^Power, 0: constant

	Forward  bool // a node that does not contribute passes the token on unchanged, without noise
	Reroutes bool // a token that is not answered for may take another way, or be replaced: its path depends on failures

	Sensitivity float64 // of a contribution, in the unit of a gradient
	Noise       float64 // standard deviation per coordinate, same unit

	Besides float64 // mu^2 of every node's public release before the walk, which tells no more than a Gaussian moved by mu; the matrix may follow from it

	Sensitivities      // of each node, at most Sensitivity; nil: all have Sensitivity
	Records       bool // one record is the unit of privacy; else it is all the data of a node

	Update model.Update // facts about the updates; the zero value amplifies nothing
}

// AllTokens returns the number of tokens, at least 1.
func (w Walk) AllTokens() int { return max(1, w.Tokens) }

// Most returns the largest number of contributions one node can make.
func (w Walk) Most() int {
	most := w.Turns * w.AllTokens()
	if w.Cap == 0 {
		return most
	}
	return min(w.Cap, most)
}

// Share returns how many of cap contributions a node may make to one of several tokens:
// cap/tokens, rounded down, and one more to the first cap mod tokens tokens.
// Contributions to a token thus depend on its own path alone, and not on the order in
// which tokens come. A cap of 0 means no cap and gives 0.
func Share(cap, tokens int, lane step.Lane) int {
	share := cap / tokens
	if int(lane) < cap%tokens {
		share++
	}
	return share
}

// Token returns the walk of one token by itself.
func (w Walk) Token(lane step.Lane) Walk {
	tokens := w.AllTokens()
	if w.Starts != nil {
		w.Start = w.Starts[lane]
	}
	w.Cap, w.Tokens, w.Starts = Share(w.Cap, tokens, lane), 1, nil
	return w
}

// CheckTokens reports tokens, starts, shares or a chance to skip that make no sense.
func (w Walk) CheckTokens() error {
	switch {
	case w.Tokens < 0:
		return fault.New(fmt.Sprintf("a walk of %d tokens", w.Tokens), "give 1 or more")
	case w.Cap > 0 && w.Cap < w.AllTokens():
		return fault.New(fmt.Sprintf("%d contributions of a node to %d tokens", w.Cap, w.AllTokens()),
			fmt.Sprintf("allow one for each token, %d or more, or none is made to some", w.AllTokens()))
	case w.Starts != nil && len(w.Starts) != w.AllTokens():
		return fault.New(fmt.Sprintf("%d nodes to start from for %d tokens", len(w.Starts), w.AllTokens()), "give one for every token, or one for all")
	case !(w.Skip >= 0 && w.Skip < 1):
		return fault.New(fmt.Sprintf("holders that skip a turn with probability %g", w.Skip), "give 0 or more, and less than 1")
	}
	for _, at := range w.Starts {
		if at != AnyStart && (at < 0 || at >= w.Nodes) {
			return fault.New(fmt.Sprintf("a walk on %d nodes starts at %d", w.Nodes, at), "start at 0..n-1 or anywhere (-1)")
		}
	}
	return nil
}

// A Path is the route of one token.
type Path struct {
	Start step.NodeID
	Lane  step.Lane                                                     // which token it is
	Next  func(at step.NodeID, t step.Turn, lane step.Lane) step.NodeID // who holds it after turn t, which counts from the burn-in
	Holds func(step.NodeID) bool                                        // whether a node holds any data; nil: all do
	Skips func(at step.NodeID, t step.Turn, lane step.Lane) bool        // whether the holder of turn t skips it; nil: none does
}

// Releases yields, turn by turn, the releases of one token's run on a path.
func (w Walk) Releases(p Path) iter.Seq[step.Release] {
	w = w.Token(p.Lane)
	return func(yield func(step.Release) bool) {
		counts := walkCounts{Walk: &w, path: p, used: make(map[step.NodeID]int), crossed: make(map[[2]step.NodeID]int)}
		from, at := p.Start, p.Start
		for t := range step.Turn(w.BurnIn + w.Turns) {
			r := counts.release(from, at, t)
			r.To, r.Lane = p.Next(at, t, p.Lane), p.Lane
			if !yield(r) {
				return
			}
			from, at = at, r.To
		}
	}
}

// walkCounts holds the contributions so far, by node and by edge.
type walkCounts struct {
	*Walk
	path    Path
	used    map[step.NodeID]int
	crossed map[[2]step.NodeID]int
}

// release returns the release of turn t without its receiver.
func (c *walkCounts) release(from, at step.NodeID, t step.Turn) step.Release {
	r := step.Release{From: at, Turn: t}
	if int(t) < c.BurnIn {
		return r
	}
	r.Contributed = c.contributes(from, at, t)
	if r.Contributed || !c.Forward {
		r.Sensitivity, r.NoiseStd = c.Sensitivities.of(at, c.Sensitivity), c.Noise
	}
	return r
}

// contributes reports whether the holder does, and counts.
func (c *walkCounts) contributes(from, at step.NodeID, t step.Turn) bool {
	if c.Cap > 0 && c.used[at] >= c.Cap || c.path.Holds != nil && !c.path.Holds(at) ||
		c.Skip > 0 && c.path.Skips != nil && c.path.Skips(at, t, c.path.Lane) {
		return false
	}
	if edge := [2]step.NodeID{from, at}; c.EdgeCap > 0 {
		if c.crossed[edge] >= c.EdgeCap {
			return false
		}
		c.crossed[edge]++
	}
	c.used[at]++
	return true
}
