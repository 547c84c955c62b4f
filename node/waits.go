package node

import (
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// waitsFor describes why a neighbour takes no part yet, "" if it does.
func (n *Node) waitsFor(l *link) string {
	switch {
	case l.left != "" && !l.ready():
		return "it has left the run"
	case l.disowned != "" && !l.ready():
		return "its ledger is refused"
	case l.refused:
		return "it has another spec, in " + strings.Join(l.differs, ", ")
	case !n.config.Transport.Connected(l.id):
		if trouble := n.config.Transport.Trouble(l.id); trouble != "" {
			return trouble
		}
		return "not connected"
	case n.mute(l):
		return "connected, and silent: " + l.heardAt()
	case !l.agreed:
		return "it has not said hello"
	case !l.confirmed:
		return "it has not confirmed yet"
	}
	return ""
}

// A silent neighbour is asked whether it is alive, and considered away a while later. The reason is that a machine
// that vanished leaves a connection that looks alive for 30 s.
const (
	askAfter  = 1500 * time.Millisecond
	muteAfter = 4 * time.Second
)

// goingOn says of a neighbour that nobody waits for it.
const goingOn = ", and the run goes on without it"

// Lacking describes why a neighbour takes no part, and whether this node waits for it.
func (s NeighbourStatus) Lacking() string {
	if s.Without {
		return "missing: " + s.Waits + goingOn
	}
	return "waiting: " + s.Waits
}

// mute reports whether a neighbour that has agreed does not answer.
func (n *Node) mute(l *link) bool {
	return l.confirmed && !n.done && n.now()-l.sign > muteAfter+2*beat*n.config.Tick
}

// The intervals between log lines on what a node waits for: the first within two seconds, then more and more
// rarely, or at once if the text changes.
const (
	firstWait = 1500 * time.Millisecond
	lastWait  = 10 * time.Minute
)

// waits is the last log line about waiting.
type waits struct {
	said  string
	at    time.Duration // when
	pause time.Duration // after which it is said again
}

// sayWaits logs the neighbours that this node waits for, and why.
func (n *Node) sayWaits() {
	now := n.now()
	if now < firstWait || n.done {
		return
	}
	var all []string
	for _, l := range n.links {
		if why := n.waitsFor(l); why != "" {
			all = append(all, l.name+": "+why+either(n.without(l.id), goingOn, ""))
		}
	}
	slices.Sort(all)
	if lacks := n.lacks(); lacks != "" {
		all = append(all, lacks)
	}
	text := strings.Join(all, "; ")
	w := &n.waits
	changed := text != w.said
	switch {
	case changed && w.at > 0 && now < w.at+firstWait, !changed && (text == "" || now < w.at+w.pause):
		return
	case changed:
		w.pause = 5 * time.Second
	default:
		w.pause = min(2*w.pause, lastWait)
	}
	w.said, w.at = text, now
	if text != "" {
		n.config.Log.Info(either(n.record.started && n.goesOn(), "missing ", "waiting for ")+text, "node", n.name())
	}
}

// without reports whether the run goes on without a neighbour that missed the last round.
func (n *Node) without(v step.NodeID) bool {
	m, ok := n.config.Machine.(interface{ Without() []step.NodeID })
	return ok && n.record.started && slices.Contains(m.Without(), v)
}

// goesOn reports whether this node waits for nobody.
func (n *Node) goesOn() bool {
	return !slices.ContainsFunc(n.links, func(l *link) bool { return n.waitsFor(l) != "" && !n.without(l.id) }) && n.lacks() == ""
}
