package transport

import (
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/protocol/holepunch"
	ma "github.com/multiformats/go-multiaddr"
)

// firstPunch and lastPunch bound the pauses between attempts to replace relayed links by direct ones. Pauses grow
// while the same links stay on the relay.
const (
	firstPunch = time.Second
	lastPunch  = 5 * time.Minute
)

// punch replaces relayed links by direct ones, where the NATs on both sides allow it, until the transport closes.
// Of two neighbours, the one that was dialled over the relay begins.
func (t *Libp2p) punch(h *composed) {
	direct := func() []ma.Multiaddr { return h.seen.Addrs(1) }
	for len(direct()) == 0 { // no relay has reported this node's address yet
		if !t.pause(firstPunch / 10) {
			return
		}
	}
	service, err := holepunch.NewService(h, h.IDService(), direct)
	if err != nil {
		return
	}
	defer service.Close()
	pause, before := firstPunch, 0
	for t.pause(pause) {
		through := t.relayedLinks()
		for _, l := range through {
			_ = service.DirectConnect(l.peer) // a failure is retried
		}
		if pause = min(2*pause, lastPunch); len(through) > before {
			pause = firstPunch
		}
		before = len(through)
	}
}

// relayedLinks returns the links over a relay whose neighbour has dialled this node.
func (t *Libp2p) relayedLinks() (all []*link) {
	for id, l := range t.links {
		if t.Relayed(id) && slices.ContainsFunc(t.host.Network().ConnsToPeer(l.peer), func(c network.Conn) bool {
			return relayed(c) && c.Stat().Direction == network.DirInbound
		}) {
			all = append(all, l)
		}
	}
	return all
}

// pause waits for d, and returns false if the transport closes.
func (t *Libp2p) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.ctx.Done():
		return false
	}
}
