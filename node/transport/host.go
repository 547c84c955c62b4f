package transport

import (
	"errors"
	"io"
	"time"

	"github.com/hearsay-dp/hearsay/fault"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	ma "github.com/multiformats/go-multiaddr"
)

// newHost creates a libp2p host with only the parts that the transport needs: no directory, no discovery, no ping,
// no port mapping, no metrics of its own, and no relay unless configured. Neighbours are not told its addresses.
func newHost(c *Config, g *gater) (host.Host, error) {
	relays, err := peer.AddrInfosFromP2pAddrs(c.Relays...)
	if err != nil {
		return nil, fault.Wrap(err, "relay address", "a relay address ends in /p2p/ and the relay's peer id")
	}
	for _, r := range relays {
		g.allowed[r.ID], c.carried = true, len(c.Neighbours)
	}
	limits, err := newLimits(len(g.allowed), c.streams(), c.Memory, knownAddresses(c.Neighbours))
	if err != nil {
		return nil, err
	}
	manager, err := connmgr.NewConnManager(connsPerPeer*len(g.allowed), 2*connsPerPeer*len(g.allowed))
	if err != nil {
		return nil, errors.Join(err, limits.Close())
	}
	p := &parts{key: c.Key.Libp2p(), gater: g, limits: limits, manager: manager, relays: relays, config: c}
	h, err := p.compose()
	if err != nil {
		return nil, errors.Join(fault.Wrap(err, "network cannot be opened", "check that the listen addresses are this machine's and free"),
			manager.Close(), limits.Close())
	}
	for id := range g.allowed {
		manager.Protect(id, "neighbour")
	}
	return h, nil
}

// noAddresses hides this node's addresses from its neighbours.
func noAddresses([]ma.Multiaddr) []ma.Multiaddr { return nil }

// muxer returns yamux with windows that fit the memory limit, and with probes that detect a vanished peer within
// 20 s.
func muxer() *yamux.Transport {
	t := *yamux.DefaultTransport
	t.KeepAliveInterval = 10 * time.Second
	t.MaxStreamWindowSize = 4 << 20
	t.LogOutput = io.Discard
	return &t
}
