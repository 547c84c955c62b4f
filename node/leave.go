package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// gone returns the participant that has left for good, so that the run cannot go on, and whether there is one.
func (n *Node) gone() (step.NodeID, bool) {
	switch {
	case n.done:
		return 0, false // the run is over here
	case n.config.Leave == Goes:
		return n.config.Self, true
	}
	return step.NodeID(n.record.gone) - 1, n.record.gone > 0
}

// parting reports whether this node takes no more turns and only tells its neighbours why.
func (n *Node) parting() bool {
	_, is := n.gone()
	return is
}

// tellLeft tells a neighbour who has left, unless it has confirmed that.
func (n *Node) tellLeft(l *link) {
	if l.told || !l.confirmed {
		return
	}
	if who, is := n.gone(); is {
		n.tellOf(l, kindLeft, 0, uint64(who))
	} else if n.config.Leave == Stays {
		n.tellOf(l, kindLeft, 1, uint64(n.config.Self))
	}
}

// hearLeft handles the message that a participant has left: a neighbour that stays without its data, or any
// participant that is gone.
func (n *Node) hearLeft(l *link, m step.Msg) error {
	who := step.NodeID(m.Epoch)
	if m.Epoch >= uint64(len(n.config.Names)) || who == n.config.Self {
		return nil
	}
	n.tellOf(l, kindLeftHeard, 0, m.Epoch)
	name := n.config.Names[who]
	switch {
	case m.Turn == 1 && who != l.id || n.done:
		return nil
	case m.Turn == 1:
		n.leaves(l, "it contributes no more, and passes on what others send")
		return nil
	case n.config.GoesOn:
		if who == l.id {
			n.leaves(l, "it is gone, and the run goes on without it")
		}
		return nil
	}
	l.told = true
	if gone := n.link(who); gone != nil {
		n.leaves(gone, "it is gone")
	}
	if n.parting() {
		return nil
	}
	n.config.Log.Warn("the run cannot go on: "+name+" has left it, says "+l.name, "node", n.name())
	n.record.gone, n.partedAt, n.goneSays = uint64(who)+1, n.now(), l.name
	if err := n.commit(ledger.Entry{}); err != nil {
		return err
	}
	for _, other := range n.links {
		n.tellLeft(other)
	}
	return nil
}

// leaves records how a neighbour has left, and logs it once.
func (n *Node) leaves(l *link, how string) {
	if l.left == "" {
		n.config.Log.Warn("neighbour has left the run: "+how, "node", n.name(), "neighbour", l.name)
	}
	l.left = how
}

// lastBow is the minimum time that a parting node stays, so that its confirmations arrive.
const lastBow = time.Second

// parted reports whether a parting node may stop: once all neighbours know, or Linger has passed. err names the
// participant that is gone. It is nil if this node itself leaves.
func (n *Node) parted() (over bool, err error) {
	who, is := n.gone()
	if !is {
		return false, nil
	}
	switch since := n.now() - n.partedAt; {
	case since < min(lastBow, n.config.Linger):
		return false, nil
	case since < n.config.Linger && slices.ContainsFunc(n.links, func(l *link) bool { return !l.told }):
		return false, nil
	}
	if who == n.config.Self {
		return true, nil
	}
	name := n.config.Names[who]
	says := "as was said before this start"
	if n.goneSays != "" {
		says = "as " + n.goneSays + " says"
	}
	return true, fault.New(fmt.Sprintf("%s has left the run for good, %s, and it cannot go on without: %s stops", name, says, n.name()),
		fmt.Sprintf("ask %s whether that is so, and agree on a new spec: hearsay federation new NEXT --as %s --from SPEC --without %s; the ledger holds what was spent; if it is not so, start all nodes again with --not-left %s",
			name, n.name(), name, name))
}
