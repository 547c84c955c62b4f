package transport

import (
	"sync/atomic"

	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// gater refuses connections with all peers that it does not list, in either direction. A peer's identity is known
// once the handshake has proved it. No data is exchanged before that.
type gater struct {
	allowed   map[peer.ID]bool
	strangers *atomic.Uint64
}

// InterceptPeerDial refuses to dial strangers.
func (g *gater) InterceptPeerDial(p peer.ID) bool { return g.allowed[p] }

// InterceptAddrDial refuses to dial strangers.
func (g *gater) InterceptAddrDial(p peer.ID, _ ma.Multiaddr) bool { return g.allowed[p] }

// InterceptAccept accepts every connection, because the peer's identity is not known yet. The resource manager
// limits the connections here.
func (g *gater) InterceptAccept(network.ConnMultiaddrs) bool { return true }

// InterceptSecured refuses strangers once the handshake has proved their identity.
func (g *gater) InterceptSecured(_ network.Direction, p peer.ID, _ network.ConnMultiaddrs) bool {
	if !g.allowed[p] {
		g.strangers.Add(1)
	}
	return g.allowed[p]
}

// InterceptUpgraded refuses strangers once more, after the upgrade.
func (g *gater) InterceptUpgraded(c network.Conn) (bool, control.DisconnectReason) {
	return g.allowed[c.RemotePeer()], 0
}
