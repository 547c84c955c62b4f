package transport

import (
	"github.com/libp2p/go-libp2p/core/network"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	ma "github.com/multiformats/go-multiaddr"
)

// The limits of libp2p's resource manager.
const (
	connsPerPeer   = 4  // QUIC and TCP, each dialled from either side
	streamsPerPeer = 16 // two of ours, the rest for identify and for streams that are ending
	handshakes     = 64 // connections whose peer is not yet known, each way
	perHost        = 8  // of these, from one address (loopback is not limited)
)

// streams returns the number of streams that a peer may have open each way. A relayed connection is a stream too.
func (c *Config) streams() int { return streamsPerPeer + connsPerPeer*c.carried }

// newLimits returns a resource manager for n peers. It limits connections, and streams to streams per peer each
// way. Windows are reserved from one pool of memory bytes. Connections from the addresses in known have room of
// their own, which handshakes of strangers from other addresses cannot take.
func newLimits(n, streams int, memory int64, known []ma.Multiaddr) (network.ResourceManager, error) {
	conns := connsPerPeer * n
	system := rcmgr.ResourceLimits{
		Conns: rcmgr.LimitVal(conns + 2*handshakes), ConnsInbound: rcmgr.LimitVal(conns + handshakes),
		ConnsOutbound: rcmgr.LimitVal(conns + handshakes), FD: rcmgr.LimitVal(conns + 2*handshakes),
		Streams: rcmgr.LimitVal(2 * streams * n), StreamsInbound: rcmgr.LimitVal(streams * n),
		StreamsOutbound: rcmgr.LimitVal(streams * n), Memory: rcmgr.LimitVal64(memory),
	}
	transient := system
	transient.ConnsInbound, transient.Memory = rcmgr.LimitVal(conns+handshakes), rcmgr.LimitVal64(memory)
	each := rcmgr.ResourceLimits{
		Conns: 2 * connsPerPeer, ConnsInbound: connsPerPeer, ConnsOutbound: connsPerPeer, FD: 2 * connsPerPeer,
		Streams: rcmgr.LimitVal(2 * streams), StreamsInbound: rcmgr.LimitVal(streams), StreamsOutbound: rcmgr.LimitVal(streams),
		Memory: rcmgr.LimitVal64(memory),
	}
	limits := rcmgr.PartialLimitConfig{
		System: system, Transient: transient, AllowlistedSystem: system, AllowlistedTransient: transient, PeerDefault: each, ProtocolDefault: system, ProtocolPeerDefault: each,
		ServiceDefault: system, ServicePeerDefault: each,
	}.Build(rcmgr.DefaultLimits.Scale(memory, conns+2*handshakes))
	v4 := []rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: conns + perHost}}
	v6 := []rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: conns + perHost}}
	return rcmgr.NewResourceManager(rcmgr.NewFixedLimiter(limits), rcmgr.WithMetricsDisabled(), rcmgr.WithLimitPerSubnet(v4, v6),
		rcmgr.WithAllowlistedMultiaddrs(known))
}

// knownAddresses returns the IP addresses of neighbours, each for the neighbour's own key only. Names and relays
// are left out, because their IP address is not known.
func knownAddresses(neighbours []Neighbour) []ma.Multiaddr {
	var all []ma.Multiaddr
	for _, n := range neighbours {
		for _, address := range n.Addrs {
			ip, _ := ma.SplitFirst(address)
			if code := ip.Protocol().Code; code != ma.P_IP4 && code != ma.P_IP6 {
				continue
			}
			all = append(all, ip.Multiaddr().Encapsulate(ma.StringCast("/p2p/"+n.Peer.String())))
		}
	}
	return all
}
