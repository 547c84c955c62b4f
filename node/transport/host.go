package transport

import (
	"errors"
	"io"
	"time"

	"github.com/hearsay-dp/hearsay/fault"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	libp2ptls "github.com/libp2p/go-libp2p/p2p/security/tls"
	quic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
)

// newHost makes a libp2p host that has only what the transport needs: no
// directory, no discovery, no ping, no port mapping, no metrics of its own,
// and, unless asked for, no relay. Neighbours are not told its addresses.
func newHost(c *Config, g *gater) (host.Host, error) {
	relays, err := peer.AddrInfosFromP2pAddrs(c.Relays...)
	if err != nil {
		return nil, fault.Wrap(err, "relay address", "a relay address ends in /p2p/ and the relay's peer id")
	}
	for _, r := range relays {
		g.allowed[r.ID] = true
	}
	limits, err := newLimits(len(g.allowed), c.Memory, knownAddresses(c.Neighbours))
	if err != nil {
		return nil, err
	}
	manager, err := connmgr.NewConnManager(connsPerPeer*len(g.allowed), 2*connsPerPeer*len(g.allowed))
	if err != nil {
		return nil, errors.Join(err, limits.Close())
	}
	options := append(basics(c), libp2p.ConnectionGater(g), libp2p.ResourceManager(limits), libp2p.ConnectionManager(manager))
	h, err := libp2p.New(append(options, relayed(c, relays)...)...)
	if err != nil {
		return nil, errors.Join(fault.Wrap(err, "network cannot be opened", "check that the listen addresses are this machine's and free"),
			manager.Close(), limits.Close())
	}
	for id := range g.allowed {
		manager.Protect(id, "neighbour")
	}
	return h, nil
}

// basics are the options that do not depend on relays.
func basics(c *Config) []libp2p.Option {
	return []libp2p.Option{
		libp2p.Identity(c.Key.Libp2p()),
		libp2p.ListenAddrs(c.Listen...),
		noListen(c.Listen),
		libp2p.Transport(tcp.NewTCPTransport, tcp.DisableReuseport()), // two nodes on one port would share it in silence
		libp2p.Transport(quic.NewTransport),
		libp2p.Security(libp2ptls.ID, libp2ptls.New),
		libp2p.Security(noise.ID, noise.New),
		libp2p.Muxer(yamux.ID, muxer()),
		libp2p.UserAgent("hearsay"),
		libp2p.Ping(false),
		libp2p.DisableMetrics(),
		libp2p.DisableIdentifyAddressDiscovery(),
		libp2p.UDPBlackHoleSuccessCounter(nil), // a neighbour that is down says nothing about UDP
		libp2p.IPv6BlackHoleSuccessCounter(nil),
		libp2p.WithDialTimeout(c.DialTimeout),
	}
}

// noListen keeps libp2p from listening everywhere when nothing is given.
func noListen(listen []ma.Multiaddr) libp2p.Option {
	if len(listen) == 0 {
		return libp2p.NoListenAddrs
	}
	return libp2p.ChainOptions()
}

// relayed are the options for or against relays and hole punching. Without
// the latter nobody is told this node's addresses.
func relayed(c *Config, relays []peer.AddrInfo) []libp2p.Option {
	var options []libp2p.Option
	if !c.HolePunch {
		options = append(options, libp2p.AddrsFactory(func([]ma.Multiaddr) []ma.Multiaddr { return nil }))
	}
	if len(relays) == 0 {
		return append(options, libp2p.DisableRelay())
	}
	options = append(options, libp2p.EnableRelay(), libp2p.EnableAutoRelayWithStaticRelays(relays), libp2p.ForceReachabilityPrivate())
	if c.HolePunch {
		options = append(options, libp2p.EnableHolePunching())
	}
	return options
}

// muxer is yamux with windows that fit the memory limit, and with probes that
// notice a vanished peer within 20 s.
func muxer() *yamux.Transport {
	t := *yamux.DefaultTransport
	t.KeepAliveInterval = 10 * time.Second
	t.MaxStreamWindowSize = 4 << 20
	t.LogOutput = io.Discard
	return &t
}
