package node

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// carryOut carries out the machine's requests in n.out. in is the receipt of the machine's input, nil for a timer
// and for a message without a body.
func (n *Node) carryOut(in *ledger.Receipt) error { return n.carry(in, false) }

// carry does the work of carryOut, and always commits if must is set. All steps that can fail, except the disk,
// come before the commit. Otherwise a state whose messages cannot be sent would stop the node again at every
// start.
func (n *Node) carry(in *ledger.Receipt, must bool) error {
	if err := n.checkReceivers(n.out.Msgs); err != nil {
		return err
	}
	payloads, err := n.covered.payloads(n.out.Msgs)
	if err != nil {
		return err
	}
	entry := ledger.Entry{Releases: n.covered.rows(n.config.Self, n.out.Releases, payloads)}
	must = must || mustCommit(entry.Releases, payloads)
	if !must && len(n.out.Msgs) > len(payloads) && n.changed() {
		if n.mayWait(payloads) {
			return n.putOff(in)
		}
		must = true
	}
	msgs := n.out.Msgs
	if must {
		msgs = append(msgs, n.answers.take()...)
	}
	urgentFirst(msgs)
	frames, err := n.packAll(msgs, count(must)) // frames state the position of the ledger when they leave
	if err != nil {
		return err
	}
	if must {
		if err := n.complete(&entry, in, payloads); err != nil {
			return err
		}
		if err := n.config.Gate(&entry); err != nil {
			return err
		}
		n.config.Failpoint(FailBeforeCommit)
		if err := n.commitStep(entry); err != nil {
			return err
		}
		if len(entry.Releases)+len(entry.Received) > 0 {
			n.progress = n.now()
		}
		n.config.Failpoint(FailAfterCommit)
	}
	n.keepPace()
	n.sendAll(frames, payloads)
	return n.goOn()
}

// goOn carries out the requests that send nothing to other nodes: it arms timers, asks questions, and records the
// end.
func (n *Node) goOn() error {
	now := n.now()
	for _, t := range n.out.Timers {
		n.timers.arm(now+time.Duration(t.Delay)*n.config.Tick, t)
	}
	for _, a := range n.out.Asks {
		n.asks.ask(n.config.Answer, a)
	}
	if n.out.Done && !n.done {
		return n.finish()
	}
	return nil
}

// mustCommit reports whether messages need a commit before they are sent: releases do, and bodies that have not
// left before. Answers need one only if the state that they confirm has changed since the last commit.
func mustCommit(rows []ledger.Release, payloads []payload) bool {
	return len(rows) > 0 || slices.ContainsFunc(payloads, func(p payload) bool { return !p.again })
}

// urgentFirst sorts messages with a body before answers, because other nodes wait for bodies to go on.
func urgentFirst(msgs []step.Msg) {
	slices.SortStableFunc(msgs, func(a, b step.Msg) int { return cmp.Compare(count(len(a.Body) == 0), count(len(b.Body) == 0)) })
}

// changed reports whether the machine's state differs from the one on disk.
func (n *Node) changed() bool {
	return n.record.started && !bytes.Equal(n.config.Machine.Snapshot(nil), n.record.machine)
}

// complete sets the fields of an entry besides its releases: epoch, spends and receipts.
func (n *Node) complete(e *ledger.Entry, in *ledger.Receipt, payloads []payload) error {
	e.Epoch = n.epoch
	if m, ok := n.config.Machine.(interface{ Epoch() uint64 }); ok {
		e.Epoch = max(e.Epoch, m.Epoch())
	}
	for _, p := range payloads {
		e.Epoch = max(e.Epoch, p.key.Epoch)
	}
	for _, r := range e.Releases {
		e.Spends = append(e.Spends, n.config.Spend(r.Release)...)
	}
	var err error
	e.Received, err = n.received(in)
	return err
}

// commitStep commits the result of one step of the machine. A value that is only passed on, and is not the first
// of its turn, goes under the next epoch: of two ends of the run, the later epoch counts. This hides no repeated
// release, because the machine has released nothing.
func (n *Node) commitStep(e ledger.Entry) error {
	err := n.commit(e)
	if errors.Is(err, ledger.ErrRepeated) && len(n.out.Releases) == 0 && len(e.Received) > 0 {
		e.Epoch = max(e.Epoch, n.epoch) + 1
		err = n.commit(e)
	}
	return err
}

// stateRoom is by how many bytes a state may outgrow the one before without a reallocation.
const stateRoom = 1 << 10

// commit makes an entry durable, together with the machine's state and the receipts of all inputs that led to it.
func (n *Node) commit(e ledger.Entry) error {
	e.Time, e.Epoch = n.config.Now(), max(e.Epoch, n.epoch)
	e.Received = slices.Concat(n.answers.received, e.Received)
	n.record.witnesses = n.witnesses()
	e.State = n.record.append(make([]byte, 0, len(n.record.machine)+stateRoom), n.config.Machine.Snapshot)
	began := time.Now()
	if err := n.config.Ledger.Commit(e); err != nil {
		return n.refusedCommit(err)
	}
	n.tally.committed(time.Since(began), len(e.Releases))
	kept, err := readRecord(e.State)
	if err != nil {
		return err
	}
	n.record.machine, n.epoch, n.answers.received = kept.machine, e.Epoch, nil
	for _, r := range e.Releases {
		n.covered.released(r)
		n.config.Inspect(r.Release)
	}
	return nil
}

// witnesses returns the known positions of the neighbours' ledgers.
func (n *Node) witnesses() map[step.NodeID]witness {
	all := map[step.NodeID]witness{}
	for _, l := range n.links {
		if l.known.Ledger != (wire.Ledger{}) {
			all[l.id] = l.known
		}
	}
	return all
}

// refusedCommit returns the error with which the node stops after a failed commit.
func (n *Node) refusedCommit(err error) error {
	if errors.Is(err, ledger.ErrRepeated) {
		return fault.Wrap(err, fmt.Sprintf("%s would release a turn a second time", n.name()),
			"nothing was sent; the ledger and the machine's state contradict each other: run `hearsay ledger verify`")
	}
	return err
}

// flush commits the state if it has changed, and sends the answers that waited for it.
func (n *Node) flush() error {
	if len(n.answers.received) > 0 || n.changed() || !maps.Equal(n.record.witnesses, n.witnesses()) {
		if err := n.commit(ledger.Entry{}); err != nil {
			return err
		}
	}
	return n.answer()
}

// finish records that this node saw the run end.
func (n *Node) finish() error {
	if err := n.flush(); err != nil {
		return err
	}
	n.done, n.doneAt = true, time.Now()
	n.config.Log.Info("run has ended", "node", n.name(), "ledger_releases", n.config.Ledger.Head().Releases)
	for _, l := range n.links {
		n.tellFinished(l)
	}
	return nil
}
