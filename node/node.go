package node

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// Node is one participant's daemon. New creates it and Run runs it once. The other methods are safe for concurrent
// use at any time.
type Node struct {
	config Config
	codec  wire.Codec
	fields []wire.Field
	links  []*link // in the order of Neighbours

	// The rest belongs to Run's goroutine.
	start    ledger.Start // of this process
	restart  restart
	waits    waits
	record   record   // this node's state in the ledger
	covered  *covered // bodies that the ledger holds as released, with receivers
	epoch    uint64   // of the last entry
	out      step.Out
	timers   timers
	answers  answers    // that wait for a commit
	early    []step.Msg // received before the machine was started
	asks     asks       // that wait for an answer
	done     bool
	partedAt time.Duration // when this node began to leave
	goneSays string        // neighbour that told that another one is gone; "": nobody since the start
	doneAt   time.Time

	input     time.Duration // when the machine got its current input
	outOfPace bool          // a step took longer than the pace, which is logged once
	progress  time.Duration // when something of the run last came in or went out

	tally   *tally
	view    view
	began   time.Time
	senders senders
}

// New returns a node whose machine has the state that the ledger holds, or is new if the ledger holds none. It
// returns an error if the configuration is invalid. It also does if the ledger belongs to another participant, or
// holds no state of this machine. On an error the caller must close the transport and the ledger; otherwise Run
// closes them.
func New(c Config) (*Node, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &Node{
		config: c, codec: wire.Codec{Federation: wire.FederationOf(c.Spec), MaxParams: c.Params},
		fields: sortedFields(c.Fields), began: time.Now(), covered: newCovered(len(c.Neighbours), max(1, c.Tokens), c.Introductions),
	}
	if _, err := rand.Read(n.start[:]); err != nil {
		return nil, fault.Wrap(err, "no randomness to tell this start from others", "the system's random source must be readable")
	}
	for _, v := range c.Neighbours {
		n.links = append(n.links, newLink(v, c.Names[v]))
	}
	if _, err := n.hello(0); err != nil {
		return nil, fault.Wrap(err, "this node's hello", "the spec has too many fields, or one is named twice")
	}
	if err := n.recover(); err != nil {
		return nil, err
	}
	n.tally = newTally()
	if err := n.register(); err != nil {
		return nil, fault.Wrap(err, "metrics", "give each node a registry of its own")
	}
	n.publish(Waiting, nil)
	return n, nil
}

// recover restores the state that the ledger holds.
func (n *Node) recover() error {
	kept, err := n.config.Ledger.Recover()
	if err != nil {
		return err
	}
	n.epoch = kept.Epoch
	if kept.State != nil {
		if n.record, err = readRecord(kept.State); err == nil {
			for _, l := range n.links {
				l.known = n.record.witnesses[l.id]
			}
		}
		if err == nil && n.record.started {
			err = n.config.Machine.Restore(n.record.machine)
		}
		if err != nil {
			return fault.Wrap(err, "state in the ledger of "+n.name(), "run the release of hearsay that wrote it, with the same spec")
		}
	}
	for row, err := range n.config.Ledger.Show() {
		if err != nil {
			return err
		}
		n.covered.released(row.Release)
	}
	return nil
}

// name returns this participant's name.
func (n *Node) name() string { return n.config.Names[n.config.Self] }

// link returns the link to a neighbour, nil for anybody else.
func (n *Node) link(v step.NodeID) *link {
	i, known := slices.BinarySearch(n.config.Neighbours, v)
	if !known {
		return nil
	}
	return n.links[i]
}

// checkReceivers refuses messages to nodes that are not neighbours.
func (n *Node) checkReceivers(msgs []step.Msg) error {
	for _, m := range msgs {
		if n.link(m.To) == nil {
			return fault.New(fmt.Sprintf("message of turn %d for node %d, which is not a neighbour of %s", m.Turn, m.To, n.name()),
				"the graph's edges and the transition matrix of the spec do not agree")
		}
	}
	return nil
}
