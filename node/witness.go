package node

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/wire"
)

// A witness is the position of a neighbour's ledger that a node has heard in its frames. The node keeps it in its
// own ledger and shows it to the neighbour in every hello. A ledger that was lost, or restored from a copy, does
// not hold it.
type witness struct {
	wire.Account
	incarnation uint64
	bound       bool // that ledger holds something of the run: no other may replace it
}

// advance stores a later position of the same start, and reports whether it was later.
func (w *witness) advance(at wire.Position) bool {
	if at.Start != w.Start || at.Entries <= w.Entries {
		return false
	}
	w.Position = at
	return true
}

// contradiction returns the contradiction between a hello and w, "" if there is none. It is another ledger, or the
// same one at an earlier entry or with as many starts.
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

// ErrForgotten is the cause of the error with which a node stops whose ledger lacks something that a neighbour has heard of. The
// ledger then holds less than was released.
var ErrForgotten = errors.New("the ledger has forgotten what it released")

const hintNeighbour = "its operator must stop it: a ledger that was lost, an old copy or a second machine with the same key has forgotten what was " +
	"spent (docs/howto/ledger.md)"

// HintForgotten is for the operator of a node whose ledger lacks releases.
const HintForgotten = "this ledger is a new one, an old copy, or another machine runs with this key. Stop the other machine, or bring back the ledger " +
	"that ends later; if it is lost, count the whole plan as spent and stay out of this run (docs/howto/ledger.md)"

// seal returns the proof to this participant that a position of its ledger is real: a hash under a key that is
// derived from its own key and known to nobody else.
func (n *Node) seal(a *wire.Account) (s wire.Seal) {
	h := hmac.New(sha256.New, n.config.Secret[:])
	h.Write([]byte("hearsay position 1\x00"))
	h.Write(a.Ledger[:])
	h.Write(a.Start[:])
	h.Write(binary.LittleEndian.AppendUint64(nil, a.Entries))
	copy(s[:], h.Sum(nil))
	return s
}

// account returns the position of this node's ledger after more further entries.
func (n *Node) account(more uint64) wire.Account {
	a := wire.Account{
		Ledger:   wire.Ledger(n.config.Ledger.Federation().Ledger),
		Position: wire.Position{Start: wire.Start(n.start), Entries: uint64(n.config.Ledger.Head().Entries) + more},
	}
	a.Seal = n.seal(&a)
	return a
}

// remembers checks a position of this node's ledger that a neighbour shows. A position without this participant's
// seal is made up and ignored. A sealed position that the ledger does not hold means that the ledger has forgotten
// it. remembers then returns an error, with which the node must stop.
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
	return &fault.Error{What: fmt.Sprintf("%s has forgotten what it released: neighbour %s has heard of entry %d of ledger %x, and this is ledger %x with %d entries without it",
		n.name(), l.name, known.Entries, known.Ledger[:4], own[:4], n.config.Ledger.Head().Entries), Hint: HintForgotten, Err: ErrForgotten}
}

// takeLeave tells all neighbours why this node stops: the position of its ledger, and that the ledger lacks an
// entry that by knows. It waits for a link to by that is just coming up.
func (n *Node) takeLeave(by *link) {
	for end := n.now() + lastWords; !n.config.Transport.Connected(by.id) && n.now() < end; {
		time.Sleep(lastWords / 50)
	}
	for _, l := range n.links {
		n.greet(l)
		n.tell(l, kindForgotten, 0)
	}
}

// disown refuses a neighbour whose ledger contradicts its known position. A process that has agreed already goes
// on being heard, because the message may come from another process.
func (n *Node) disown(l *link, who wire.Start, what string) {
	n.tally.refused["ledger"].Add(1)
	if l.disowned == "" || l.stranger != who { // once for each process

		n.config.Log.Error("neighbour is refused: "+what, "node", n.name(), "neighbour", l.name, "hint", hintNeighbour)
	}
	l.disowned, l.stranger = what, who
	l.stray = true // it is shown its known position
}

// A restart is the state of a restarted node. The node releases nothing until it knows that its ledger has
// forgotten nothing. For this it needs the word of all neighbours, or waits Config.Grace and goes on without the
// silent ones.
type restart struct{ waits bool }

// settled reports whether a restarted node may go on. It is called again after every change.
func (n *Node) settled() bool {
	for _, l := range n.links {
		if !l.everReady {
			return n.config.Grace > 0 && n.now() >= n.config.Grace
		}
	}
	return true
}

// goOnIfSettled resumes the work that was under way before the restart, once the node may go on.
func (n *Node) goOnIfSettled() error {
	if !n.restart.waits || n.parting() || !n.settled() {
		return nil
	}
	n.restart.waits = false
	n.config.Log.Info("goes on from its ledger", "node", n.name(), "releases", n.config.Ledger.Head().Releases)
	n.out.Reset()
	n.config.Machine.Resume(&n.out)
	n.out.Timers = n.out.Timers[:0] // the timers are armed already
	return n.carryOut(nil)
}
