// Package step defines the types that every package shares: the node (NodeID), its turn (Turn), the values it
// releases (Release) and sends (Msg), and the keyed random streams that make a simulation independent of
// scheduling.
//
// Three words count three things:
//
//   - A turn is the protocol's clock (Turn): one hop of a walk's token, one
//     exchange of gossip. Every message, release and draw has one.
//   - A step is one noisy gradient step of one node (package algo/descent). A
//     walk takes one every turn after its burn-in.
//   - A round is a step of all nodes and the turns of averaging after it, so
//     many turns of gossip to a round. A walk has none.
//
// A fourth names the token to which they belong (Lane). Several tokens walk in lanes of their own, each with
// all of its turns.
//
// The package imports nothing of Hearsay.
package step

// NodeID names a participant: 0..n-1 in the order of the graph.
type NodeID int32

// Turn counts the events of a protocol: hops of a walk's token, exchanges of gossip. Turns start at 0.
type Turn int64

// Lane names one of several tokens, counted from 0. Tokens that walk at once have turns with the same numbers,
// so that lanes tell their messages, releases and draws apart. A protocol with one token, or with none, has
// lane 0 only.
type Lane uint32

// A Release is the privacy-relevant content of one message. From computed it on its private data (or did not,
// then Contributed is false), and To received it. It holds the noise that was added and the largest change of
// the value by From's data.
type Release struct {
	From, To    NodeID
	Turn        Turn
	Lane        Lane
	Contributed bool    // false: noise only, or a value passed on unchanged
	Sensitivity float64 // largest change (L2) when all of From's data changes
	NoiseStd    float64 // standard deviation added per coordinate, same unit; with memory, that of independent noise of equal cost
	// PairStd is the standard deviation of the additional noise that From shares with each of its partners,
	// which they subtract; 0: none.
	PairStd float64
}

// Multiplier returns the noise multiplier sigma: NoiseStd in units of Sensitivity.
func (r Release) Multiplier() float64 { return r.NoiseStd / r.Sensitivity }

// Kind names the purpose of a Msg. Each algorithm defines its own kinds.
type Kind uint8

// A Msg travels from one node to a neighbour. The receiver owns Body once it is sent. Epoch invalidates lost
// tokens: of two tokens of one lane the one of the higher epoch is valid.
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

// An Ask is a question that only a program outside of the machine can answer: the mean of the clipped gradients
// of some rows at Theta. The answer may take any time. The machine receives it as an input of its own (Asking).
type Ask struct {
	Turn     Turn
	Lane     Lane
	Theta    []float64 // owned by the driver
	Rows     []int     // numbers of rows, which only the program can resolve; owned by the driver
	At       int       // number of the step, which determines the step size
	Scale    float64   // constant of the node's gradients
	Expected float64   // expected number of rows of a Poisson sample; 0: the answer is a mean
}

// Out is everything that a machine requests after one input, in the order in which the driver must do it: make
// Releases durable, then send Msgs, then arm Timers and have Asks answered. Done reports that this node saw the
// run end.
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

// A Machine is one node's side of a protocol as a pure state machine. It has no clock, no socket and no
// goroutine. Every call appends its requests to out. Messages that are stale, duplicated or from a stranger are
// dropped.
type Machine interface {
	Start(out *Out)
	Step(m Msg, out *Out)
	Tick(t Timer, out *Out)
}

// An Asking machine asks an outside program for gradients. It drops an answer that it does not wait for, a
// second one, and one of another turn. A restored machine asks again.
type Asking interface {
	Machine
	Answer(t Turn, lane Lane, mean []float64, out *Out)
}

// A Durable machine survives the process that runs it. Its driver must store the snapshot taken after an input
// before it carries out the requests of that input. A machine that is restored and resumed then repeats
// messages at most, and never draws noise again for a value that may have been sent.
type Durable interface {
	Machine
	// Snapshot appends the machine's state to dst.
	Snapshot(dst []byte) []byte
	// Restore puts a new machine into a state that Snapshot wrote. It fails if the state is damaged or of
	// another protocol. The machine must not be used then.
	Restore(state []byte) error
	// Resume repeats pending messages; a driver calls it instead of Start.
	Resume(out *Out)
}
