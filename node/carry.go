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

// carryOut does what the machine asked for in n.out after it received in, nil for
// a timer and for a message without a body.
func (n *Node) carryOut(in *ledger.Receipt) error { return n.carry(in, false) }

// carry is carryOut, with a commit in any case where must is set. All that can
// fail but the disk comes before the commit: a state whose messages cannot be
// sent would stop the node again at every start.
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
	frames, err := n.packAll(msgs, count(must)) // they say how far the ledger is when they leave
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

// goOn does what does not leave this node: it arms the machine's timers, and takes note of the end.
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

// mustCommit reports whether what is to be sent needs something on disk at once: releases
// and bodies that have not left before do. Answers need the state that they are about there, if
// it has changed since the last commit.
func mustCommit(rows []ledger.Release, payloads []payload) bool {
	return len(rows) > 0 || slices.ContainsFunc(payloads, func(p payload) bool { return !p.again })
}

// urgentFirst puts messages with a body, with which others go on, before answers, which they do
// not wait for.
func urgentFirst(msgs []step.Msg) {
	slices.SortStableFunc(msgs, func(a, b step.Msg) int { return cmp.Compare(count(len(a.Body) == 0), count(len(b.Body) == 0)) })
}

// changed reports whether the machine's state is not the one on disk.
func (n *Node) changed() bool {
	return n.record.started && !bytes.Equal(n.config.Machine.Snapshot(nil), n.record.machine)
}

// complete fills in what an entry needs besides its releases.
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

// commitStep commits what one step of the machine did. A value that is only
// passed on, and not the first one of its turn (of two ends of the run, the later
// epoch counts), goes under an epoch of its own: the machine has released nothing
// that this could hide.
func (n *Node) commitStep(e ledger.Entry) error {
	err := n.commit(e)
	if errors.Is(err, ledger.ErrRepeated) && len(n.out.Releases) == 0 && len(e.Received) > 0 {
		e.Epoch = max(e.Epoch, n.epoch) + 1
		err = n.commit(e)
	}
	return err
}

// stateRoom is what a state may be longer than the one before without being moved.
const stateRoom = 1 << 10

// commit makes an entry durable together with the state of the machine and what was received
// to come to it.
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

// witnesses are what is known of the neighbours' ledgers.
func (n *Node) witnesses() map[step.NodeID]witness {
	all := map[step.NodeID]witness{}
	for _, l := range n.links {
		if l.known.Ledger != (wire.Ledger{}) {
			all[l.id] = l.known
		}
	}
	return all
}

// refusedCommit says why the node stops.
func (n *Node) refusedCommit(err error) error {
	if errors.Is(err, ledger.ErrRepeated) {
		return fault.Wrap(err, fmt.Sprintf("%s would release a turn a second time", n.name()),
			"nothing was sent; the ledger and the machine's state contradict each other: run `hearsay ledger verify`")
	}
	return err
}

// flush commits the state if it has changed, and sends the answers that were waiting for it.
func (n *Node) flush() error {
	if len(n.answers.received) > 0 || n.changed() || !maps.Equal(n.record.witnesses, n.witnesses()) {
		if err := n.commit(ledger.Entry{}); err != nil {
			return err
		}
	}
	return n.answer()
}

// finish takes note that this node saw the run end.
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
