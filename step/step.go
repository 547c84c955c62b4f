// Package step is the vocabulary every room shares: who (NodeID), when
// (Turn), what a node lets out (Release), what it sends (Msg), and the keyed
// random streams that make a simulation independent of scheduling.
//
// Three words count three things:
//
//   - A turn is the protocol's clock (Turn): one hop of a walk's token, one
//     exchange of gossip. Everything that is sent, released or drawn has one.
//   - A step is one noisy gradient step of one node (package algo/descent). A
//     walk takes one every turn after its burn-in.
//   - A round is a step of all nodes and the turns of averaging after it, so
//     many turns of gossip to a round. A walk has none.
//
// A fourth says to which token they belong (Lane): several tokens walk in lanes
// of their own, each with all of its turns.
//
// It is a leaf: it imports nothing of Hearsay.
package step

// NodeID names a participant: 0..n-1 in the order of the graph.
type NodeID int32

// Turn counts what a protocol counts: hops of a walk's token, exchanges of
// gossip. Turns start at 0.
type Turn int64

// Lane says which of several tokens something belongs to, counted from 0. Tokens
// that walk at once have turns of the same numbers: what is sent, released or
// drawn for one of them is told from the others' by its lane. A protocol with one
// token, or with none, has lane 0 only.
type Lane uint32

// A Release is one message as its privacy cost sees it: From computed it on
// its private data (or did not, then Contributed is false), To received it.
// It says how much noise was added relative to how much From's data could
// have moved the value.
type Release struct {
	From, To    NodeID
	Turn        Turn
	Lane        Lane
	Contributed bool    // false: noise only, or a value passed on unchanged
	Sensitivity float64 // largest change (L2) when all of From's data changes
	NoiseStd    float64 // standard deviation added per coordinate, same unit; of noise that remembers earlier rounds, that of independent noise at the same price
	// PairStd is that of the noise which From shares with each of its partners besides,
	// and which they subtract; 0: none.
	PairStd float64
}

// Multiplier is the noise multiplier sigma: NoiseStd in units of Sensitivity.
func (r Release) Multiplier() float64 { return r.NoiseStd / r.Sensitivity }

// Kind says what a Msg is for. Each algorithm defines its own kinds.
type Kind uint8

// A Msg travels from one node to a neighbour. Body is owned by the receiver
// once sent. Epoch fences off what was declared lost: of two tokens of one
// lane the one of the higher epoch is the true one.
type Msg struct {
	Kind     Kind
	From, To NodeID
	Turn     Turn
	Lane     Lane
	Epoch    uint64
	Body     []float64
}

// A Timer asks the driver to call Tick with it after Delay ticks.
type Timer struct {
	Turn  Turn
	Lane  Lane
	Delay int
}

// An Ask is a question that only a program outside of the machine can answer: the mean of
// the clipped gradients of some rows at Theta. Who answers takes as long as it takes, and gives the
// machine the answer as an input of its own (Asking).
type Ask struct {
	Turn     Turn
	Lane     Lane
	Theta    []float64 // the driver's own
	Rows     []int     // numbers of rows, which only the program knows; the driver's own
	At       int       // number of the step, which step sizes follow from
	Scale    float64   // constant of the node's gradients
	Expected float64   // of a Poisson sample, how many rows are to be expected; 0: a mean is asked for
}

// Out is everything a machine wants done after one input, in the order the
// driver must do it: make Releases durable, then send Msgs, then arm Timers and have Asks answered.
// Done reports that this node saw the run end.
type Out struct {
	Releases []Release
	Msgs     []Msg
	Timers   []Timer
	Asks     []Ask
	Done     bool
}

// Reset empties o and keeps its memory.
func (o *Out) Reset() {
	o.Releases, o.Msgs, o.Timers, o.Asks, o.Done = o.Releases[:0], o.Msgs[:0], o.Timers[:0], o.Asks[:0], false
}

// A Machine is one node's side of a protocol as a pure state machine: it
// holds no clock, no socket and no goroutine. Every call appends what must be
// done to out. Messages that are stale, duplicated or from a stranger are
// dropped.
type Machine interface {
	Start(out *Out)
	Step(m Msg, out *Out)
	Tick(t Timer, out *Out)
}

// An Asking machine asks a program outside for what it needs. An answer that it does not wait for, a second one or
// that of another turn, is dropped. A machine that is restored asks again.
type Asking interface {
	Machine
	Answer(t Turn, lane Lane, mean []float64, out *Out)
}

// A Durable machine survives the process that runs it. Its driver keeps the
// snapshot taken after an input before it carries out what the input asked for;
// then a machine that is restored and resumed repeats messages at most, and
// never draws noise again for a value that may have been sent.
type Durable interface {
	Machine
	// Snapshot appends the machine's state to dst.
	Snapshot(dst []byte) []byte
	// Restore puts a new machine into a state that Snapshot wrote. It fails if
	// the state is damaged or of another protocol, and must not be used then.
	Restore(state []byte) error
	// Resume sends again what was under way, instead of Start.
	Resume(out *Out)
}
