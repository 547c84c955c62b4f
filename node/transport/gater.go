package transport

import (
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// gater lets nobody connect but the peers it lists, in either direction. Who a
// peer is, is known once the handshake has proved it; nothing is exchanged
// before that.
type gater struct {
	allowed   map[peer.ID]bool
	strangers *atomic.Uint64
}

// InterceptPeerDial refuses to dial strangers.
func (g *gater) InterceptPeerDial(p peer.ID) bool { return g.allowed[p] }

// InterceptAddrDial refuses to dial strangers.
func (g *gater) InterceptAddrDial(p peer.ID, _ ma.Multiaddr) bool { return g.allowed[p] }

// InterceptAccept knows no identity yet; the resource manager limits what
// comes in here.
func (g *gater) InterceptAccept(network.ConnMultiaddrs) bool { return true }

// InterceptSecured refuses strangers as soon as they have said who they are.
func (g *gater) InterceptSecured(_ network.Direction, p peer.ID, _ network.ConnMultiaddrs) bool {
	if !g.allowed[p] {
		g.strangers.Add(1)
	}
	return g.allowed[p]
}

// InterceptUpgraded asks once more.
func (g *gater) InterceptUpgraded(c network.Conn) (bool, control.DisconnectReason) {
	return g.allowed[c.RemotePeer()], 0
}
