package node

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// Config holds the settings of one participant's daemon.
type Config struct {
	// Self is the number of this participant, an index of Names.
	Self step.NodeID
	// Names holds the names of all participants, by number.
	Names []string
	// Neighbours holds the numbers of the neighbours, in increasing order.
	Neighbours []step.NodeID
	// Machine must be new. The node owns it until Run returns.
	Machine step.Durable
	// Turns is the number of turns of the whole run, per token, at least 1.
	Turns step.Turn
	// Tokens is the number of concurrent tokens, each in its own lane. 0 means 1.
	Tokens int
	// Params is the length of the longest Body, in numbers.
	Params int

	// Introductions is the number of messages, of all nodes, that are forwarded before the run begins.
	Introductions int
	// Spec is the hash of the resolved spec.
	Spec [32]byte
	// Fields holds the digests of the spec's fields, to name those that differ from a neighbour's.
	Fields    []wire.Field
	Transport transport.Transport
	Ledger    *ledger.Ledger
	// Table is the fingerprint of the table that the machine learns from. Zero means unknown.
	Table ledger.Digest
	// Secret seals the positions of this node's ledger that neighbours remember. It must be derived from this
	// participant's key, and known to nobody else.
	Secret [32]byte
	// Grace is the time that a restarted node waits for all neighbours before it goes on without them. 0 means
	// for ever.
	Grace time.Duration
	// Leave says how this participant leaves the run, if it does.
	Leave Leave
	// NotLeft names a participant of which the owner has asked, and which has not left. What was said of it before this start
	// counts no more.
	NotLeft string
	// GoesOn declares that the run goes on without a participant that is gone.
	GoesOn bool
	// Silence is the time without progress of the run after which the node stops. 0 means never.
	Silence time.Duration
	// Tick is the length of a machine's tick, such as 10 ms. It must be above 0.
	Tick time.Duration
	// Linger is the time that a finished node still answers its neighbours.
	Linger time.Duration
	// Pace pads each step with a release to a multiple of Pace, which hides the number of this participant's rows.
	// 0 means no padding.
	Pace time.Duration
	// Log is optional. nil discards all lines.
	Log *slog.Logger

	// Answer answers the machine's questions (step.Asking). It runs in its own goroutine, one question at a time.
	// Its error stops the node. It may be nil if the machine asks nothing.
	Answer func(ctx context.Context, asked *step.Ask) (mean []float64, err error)

	// Now is optional. It returns the time of ledger entries. Timers do not use it.
	Now func() time.Time
	// Metrics is optional. The node registers its metrics there, or in a registry of its own if it is nil.
	Metrics *prometheus.Registry
	// Spend is optional. It returns the losses of a release, which the ledger records with it.
	Spend func(r step.Release) []ledger.Spend
	// Gate is optional. It returns an error to refuse an entry before its commit. The node then stops, with
	// nothing of the entry sent.
	Gate func(entry *ledger.Entry) error
	// Inspect is optional and meant for tests. It is called with each release after its commit.
	Inspect func(release step.Release)
	// Failpoint is optional and meant for tests. It is called at the places that Failpoints lists.
	Failpoint func(name string)
}

// A Leave says how a participant leaves a run.
type Leave int

// The ways to leave. A node that leaves records it in its ledger. It tells its neighbours until they have
// confirmed or Linger has passed. Its machine must have no data.
const (
	Remains Leave = iota // it does not leave
	Goes                 // it takes no more turns
	Stays                // it goes on without its data, so that the run does
)

// MaxFrame returns the size in bytes of the largest frame that a node sends or accepts, for a model of params
// numbers. The transport must carry it.
func MaxFrame(params int) int {
	return max(wire.Codec{MaxParams: params}.MaxSize(), wire.MaxHelloSize)
}

// BodyDigest returns the hash by which the ledger identifies a body: SHA-256 of its numbers as 8 bytes each,
// little-endian.
func BodyDigest(body []float64) ledger.Digest {
	b := make([]byte, 0, 8*len(body))
	for _, x := range body {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return sha256.Sum256(b)
}

// The places at which Config.Failpoint is called.
const (
	FailStart        = "start"         // the incarnation is on disk, nothing else has happened
	FailBeforeCommit = "before-commit" // the machine has moved, the ledger has not
	FailAfterCommit  = "after-commit"  // on disk, nothing sent
	FailAfterSend    = "after-send"    // handed to the links, timers not armed
	FailCheckpoint   = "checkpoint"    // the run is over or interrupted, the last state is not on disk
)

// Failpoints returns the names of all failpoints.
func Failpoints() []string {
	return []string{FailStart, FailBeforeCommit, FailAfterCommit, FailAfterSend, FailCheckpoint}
}

// withDefaults sets the optional fields that are unset.
func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Metrics == nil {
		c.Metrics = prometheus.NewRegistry()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Spend == nil {
		c.Spend = func(step.Release) []ledger.Spend { return nil }
	}
	if c.Gate == nil {
		c.Gate = func(*ledger.Entry) error { return nil }
	}
	if c.Inspect == nil {
		c.Inspect = func(step.Release) {}
	}
	if c.Failpoint == nil {
		c.Failpoint = defaultFailpoint()
	}
	return c
}

// check refuses a configuration with missing parts or values out of range.
func (c *Config) check() error {
	const hint = "this is a fault in the program that starts the node"
	n := step.NodeID(len(c.Names))
	switch {
	case c.Machine == nil || c.Transport == nil || c.Ledger == nil:
		return fault.New("node without a machine, a transport or a ledger", hint)
	case c.Self < 0 || c.Self >= n:
		return fault.New(fmt.Sprintf("node %d of %d", c.Self, n), hint)
	case c.Tick <= 0 || c.Linger < 0 || c.Grace < 0 || c.Params < 0 || c.Turns < 1:
		return fault.New(fmt.Sprintf("node with tick %v, linger %v, %d numbers, %d turns", c.Tick, c.Linger, c.Params, c.Turns),
			"a tick is longer than 0, a run has at least one turn, nothing is negative")
	}
	for i, v := range c.Neighbours {
		if v < 0 || v >= n || v == c.Self || i > 0 && v <= c.Neighbours[i-1] {
			return fault.New(fmt.Sprintf("neighbours %v of node %d of %d", c.Neighbours, c.Self, n), hint)
		}
	}
	return c.checkLedger()
}

// checkLedger refuses a ledger of another federation or participant.
func (c *Config) checkLedger() error {
	owner := c.Ledger.Federation()
	if owner.Spec == c.Spec && owner.ID == c.Self {
		return nil
	}
	return fault.New(fmt.Sprintf("ledger of %q (node %d, spec %x) used by %q (node %d, spec %x)",
		owner.Node, owner.ID, owner.Spec[:4], c.Names[c.Self], c.Self, c.Spec[:4]),
		"each participant and each spec has a ledger of its own; a changed spec is a new federation")
}

// sortedFields returns the fields sorted by path, as a hello requires.
func sortedFields(fields []wire.Field) []wire.Field {
	return slices.SortedFunc(slices.Values(fields), func(a, b wire.Field) int { return cmp.Compare(a.Path, b.Path) })
}
