package node

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/wire"
)

// A witness is what a node knows of a neighbour's ledger, from its frames. It is
// kept in this node's own ledger, and shown to the neighbour in every hello: a
// ledger that was lost, or brought back from a copy, does not hold it.
type witness struct {
	wire.Account
	incarnation uint64
	bound       bool // something of the run is in that ledger: no other takes its place
}

// advance takes in that the same start of the neighbour has got further.
func (w *witness) advance(at wire.Position) bool {
	if at.Start != w.Start || at.Entries <= w.Entries {
		return false
	}
	w.Position = at
	return true
}

// contradiction is what is wrong with a hello for whoever knows w, "" if nothing:
// another ledger, or the same one at an earlier entry or with as many starts.
func (w *witness) contradiction(h *wire.Hello) string {
	switch {
	case h.Own.Ledger != w.Ledger && !w.bound:
	case h.Own.Ledger != w.Ledger:
		return fmt.Sprintf("it runs on another ledger (%x, %d entries) than before (%x, %d entries)",
			h.Own.Ledger[:4], h.Own.Entries, w.Ledger[:4], w.Entries)
	case h.Own.Start == w.Start:
	case h.Own.Entries <= w.Entries || h.Incarnation <= w.incarnation:
		return fmt.Sprintf("it runs on an older copy of its ledger: start %d with %d entries, after start %d with %d entries",
			h.Incarnation, h.Own.Entries, w.incarnation, w.Entries)
	}
	return ""
}

const hintNeighbour = "its operator must stop it: a ledger that was lost, an old copy or a second machine with the same key has forgotten what was " +
	"spent (docs/OPERATING.md, the ledger)"

const hintForgotten = "this ledger is a new one, an old copy, or another machine runs with this key. Stop the other machine, or bring back the ledger " +
	"that ends later; if it is lost, count the whole plan as spent and stay out of this run (docs/OPERATING.md, the ledger)"

// seal is what shows this participant that a position of its ledger is real: a
// hash under a key that is derived from its own and that nobody else has.
func (n *Node) seal(a *wire.Account) (s wire.Seal) {
	h := hmac.New(sha256.New, n.config.Secret[:])
	h.Write([]byte("hearsay position 1\x00"))
	h.Write(a.Ledger[:])
	h.Write(a.Start[:])
	h.Write(binary.LittleEndian.AppendUint64(nil, a.Entries))
	copy(s[:], h.Sum(nil))
	return s
}

// account is how far this node's ledger has got after so many more entries.
func (n *Node) account(more uint64) wire.Account {
	a := wire.Account{
		Ledger:   wire.Ledger(n.config.Ledger.Federation().Ledger),
		Position: wire.Position{Start: wire.Start(n.start), Entries: uint64(n.config.Ledger.Head().Entries) + more},
	}
	a.Seal = n.seal(&a)
	return a
}

// remembers checks what a neighbour knows of this node's ledger. What is not
// sealed by this participant is made up and ignored; what is, and is not in the
// ledger, has been forgotten: an error, with which the node must stop.
func (n *Node) remembers(l *link, known *wire.Account) error {
	if known == nil {
		return nil
	}
	if want := n.seal(known); !hmac.Equal(want[:], known.Seal[:]) {
		if !l.warned["seal"] {
			l.warned["seal"] = true
			n.config.Log.Warn("neighbour claims what this participant never sealed; ignored", "node", n.name(), "neighbour", l.name)
		}
		return nil
	}
	own := n.config.Ledger.Federation().Ledger
	wrote := false
	if ledger.ID(known.Ledger) == own && known.Entries <= math.MaxInt64 {
		var err error
		if wrote, err = n.config.Ledger.Wrote(ledger.Start(known.Start), int64(known.Entries)); err != nil {
			return err
		}
	}
	if wrote {
		return nil
	}
	return fault.New(fmt.Sprintf("%s has forgotten what it released: neighbour %s has heard of entry %d of ledger %x, and this is ledger %x with %d entries without it",
		n.name(), l.name, known.Entries, known.Ledger[:4], own[:4], n.config.Ledger.Head().Entries), hintForgotten)
}

// takeLeave tells all neighbours why this node stops: what its ledger is, and that
// it does not hold what one of them, by, knows. A link to it that is just coming up
// is waited for.
func (n *Node) takeLeave(by *link) {
	for end := n.now() + lastWords; !n.config.Transport.Connected(by.id) && n.now() < end; {
		time.Sleep(lastWords / 50)
	}
	for _, l := range n.links {
		n.greet(l)
		n.tell(l, kindForgotten, 0)
	}
}

// disown refuses a neighbour whose ledger contradicts what was heard of it. Who
// has agreed already goes on being heard: it may be another process.
func (n *Node) disown(l *link, who wire.Start, what string) {
	n.tally.refused["ledger"].Add(1)
	if l.disowned == "" || l.stranger != who { // once for each process

		n.config.Log.Error("neighbour is refused: "+what, "node", n.name(), "neighbour", l.name, "hint", hintNeighbour)
	}
	l.disowned, l.stranger = what, who
	l.stray = true // it is shown what is known of it
}

// A restart is a node that was started again: until it knows that its ledger has
// forgotten nothing it releases nothing. That takes the word of all neighbours,
// or the time after which a run does without those who are silent.
type restart struct{ waits bool }

// settled reports whether a restarted node may go on, and is called again when
// something has changed.
func (n *Node) settled() bool {
	for _, l := range n.links {
		if !l.everReady {
			return n.config.Grace > 0 && n.now() >= n.config.Grace
		}
	}
	return true
}

// goOnIfSettled takes up what was under way before the restart.
func (n *Node) goOnIfSettled() error {
	if !n.restart.waits || n.parting() || !n.settled() {
		return nil
	}
	n.restart.waits = false
	n.config.Log.Info("goes on from its ledger", "node", n.name(), "releases", n.config.Ledger.Head().Releases)
	n.out.Reset()
	n.config.Machine.Resume(&n.out)
	n.out.Timers = n.out.Timers[:0] // they are armed already
	return n.carryOut(nil)
}
