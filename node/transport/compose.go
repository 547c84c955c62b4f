package transport

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"net"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/host/autonat"
	"github.com/libp2p/go-libp2p/p2p/host/autorelay"
	basichost "github.com/libp2p/go-libp2p/p2p/host/basic"
	"github.com/libp2p/go-libp2p/p2p/host/eventbus"
	"github.com/libp2p/go-libp2p/p2p/host/observedaddrs"
	"github.com/libp2p/go-libp2p/p2p/host/peerstore/pstoremem"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	circuit "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	libp2ptls "github.com/libp2p/go-libp2p/p2p/security/tls"
	libp2pquic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/quic-go/quic-go"
)

// parts holds the components of a host. libp2p.New is not used, because it links every transport there is (WebRTC,
// WebTransport, WebSocket) and a dependency injector, used or not.
type parts struct {
	key     crypto.PrivKey
	gater   connmgr.ConnectionGater
	limits  network.ResourceManager
	manager connmgr.ConnManager
	relays  []peer.AddrInfo
	config  *Config
	bus     event.Bus
}

// composed is a host with the components that must be closed with it.
type composed struct {
	*basichost.BasicHost
	udp   *quicreuse.ConnManager
	relay *autorelay.AutoRelay   // nil without relays
	seen  *observedaddrs.Manager // addresses at which others see this host; nil without hole punching
}

// Close closes the host, its network and the components below them.
func (h *composed) Close() error {
	if h.seen != nil {
		defer h.seen.Close()
	}
	return errors.Join(h.closeRelay(), h.BasicHost.Close(), h.udp.Close())
}

// closeRelay stops the search for relays. libp2p's Close stops the searching goroutine and then waits for the
// goroutine that starts it. That one may have started another search in between. A second Close stops that search
// for good.
func (h *composed) closeRelay() error {
	if h.relay == nil {
		return nil
	}
	return errors.Join(h.relay.Close(), h.relay.Close())
}

// compose creates a host: a swarm with TCP (secured by TLS or Noise, multiplexed by yamux) and QUIC, identify, and
// relays if any are configured. It listens on as many of the configured addresses as possible, at least one if
// there are any. If it fails it closes the components that it created, but neither limits nor manager.
func (p *parts) compose() (host.Host, error) {
	p.bus = eventbus.NewBus()
	network, err := p.network()
	if err != nil {
		return nil, err
	}
	udp, err := p.udp()
	if err != nil {
		return nil, errors.Join(err, network.Close())
	}
	c, err := p.onto(network)
	if err != nil {
		return nil, errors.Join(err, network.Close(), udp.Close())
	}
	c.udp = udp
	if err := p.start(c, network); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// network returns a swarm without transports.
func (p *parts) network() (*swarm.Swarm, error) {
	id, err := peer.IDFromPrivateKey(p.key)
	if err != nil {
		return nil, err
	}
	known, err := pstoremem.NewPeerstore()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(known.AddPrivKey(id, p.key), known.AddPubKey(id, p.key.GetPublic())); err != nil {
		return nil, err
	}
	return swarm.NewSwarm(id, known, p.bus,
		swarm.WithUDPBlackHoleSuccessCounter(nil), // a neighbour that is down says nothing about UDP
		swarm.WithIPv6BlackHoleSuccessCounter(nil),
		swarm.WithConnectionGater(p.gater), swarm.WithResourceManager(p.limits), swarm.WithDialTimeout(p.config.DialTimeout))
}

// udp returns the sockets of QUIC. A sender is counted at its first packet, before its handshake costs anything.
func (p *parts) udp() (*quicreuse.ConnManager, error) {
	var reset quic.StatelessResetKey
	var token quic.TokenGeneratorKey
	if err := errors.Join(derive(reset[:], p.key, "libp2p quic stateless reset key"), derive(token[:], p.key, "libp2p quic token generator key")); err != nil {
		return nil, err
	}
	return quicreuse.NewConnManager(reset, token,
		quicreuse.VerifySourceAddress(p.limits.VerifySourceAddress),
		quicreuse.ConnContext(func(ctx context.Context, client *quic.ClientInfo) (context.Context, error) {
			return p.admit(ctx, client.RemoteAddr)
		}))
}

// admit reserves room for a connection from an address. The room is freed when ctx ends.
func (p *parts) admit(ctx context.Context, from net.Addr) (context.Context, error) {
	address, err := quicreuse.ToQuicMultiaddr(from, quic.Version1)
	if err != nil {
		address = nil // the limits for unknown addresses apply
	}
	scope, err := p.limits.OpenConnection(network.DirInbound, false, address)
	if err != nil {
		return ctx, err
	}
	ctx = network.WithConnManagementScope(ctx, scope)
	context.AfterFunc(ctx, scope.Done)
	return ctx, nil
}

// derive fills dst with a key for one purpose, derived from a private key.
func derive(dst []byte, key crypto.PrivKey, purpose string) error {
	secret, err := key.Raw()
	if err != nil {
		return err
	}
	derived, err := hkdf.Key(sha256.New, secret, nil, purpose, len(dst))
	copy(dst, derived)
	return err
}

// onto returns a host on a network, not started.
func (p *parts) onto(sw *swarm.Swarm) (*composed, error) {
	options := &basichost.HostOpts{
		ConnManager: p.manager, UserAgent: "hearsay", EventBus: p.bus, AddrsFactory: noAddresses,
	}
	c := &composed{}
	if p.config.HolePunch {
		var err error
		if c.seen, err = observedaddrs.NewManager(p.bus, sw); err != nil {
			return nil, err
		}
		c.seen.Start(sw)
		options.ObservedAddrsManager = c.seen
	}
	var err error
	if c.BasicHost, err = basichost.NewHost(sw, options); err != nil && c.seen != nil {
		c.seen.Close()
	}
	return c, err
}

// start adds the transports to the host, listens, and starts the host.
func (p *parts) start(h *composed, sw *swarm.Swarm) error {
	up, err := p.transports(sw, h.udp)
	if err != nil {
		return err
	}
	if len(p.relays) > 0 {
		if err := circuit.AddTransport(h.BasicHost, up); err != nil {
			return err
		}
	}
	if err := sw.Listen(p.config.Listen...); err != nil {
		return err
	}
	if len(p.relays) == 0 {
		h.Start()
		return nil
	}
	return h.throughRelays(p.relays)
}

// transports adds TCP and QUIC to a swarm, and returns the upgrader that secures TCP.
func (p *parts) transports(sw *swarm.Swarm, udp *quicreuse.ConnManager) (transport.Upgrader, error) {
	muxers := []upgrader.StreamMuxer{{ID: yamux.ID, Muxer: muxer()}}
	tls, err1 := libp2ptls.New(libp2ptls.ID, p.key, muxers)
	secret, err2 := noise.New(noise.ID, p.key, muxers)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	up, err := upgrader.New([]sec.SecureTransport{tls, secret}, muxers, nil, p.limits, p.gater)
	if err != nil {
		return nil, err
	}
	overTCP, err1 := tcp.NewTCPTransport(up, p.limits, nil, tcp.DisableReuseport()) // two nodes on one port would share it in silence
	overQUIC, err2 := libp2pquic.NewTransport(p.key, udp, nil, p.gater, p.limits)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return up, errors.Join(sw.AddTransport(overTCP), sw.AddTransport(overQUIC))
}

// throughRelays starts the host behind relays. The host assumes that it is reachable through them only.
func (h *composed) throughRelays(relays []peer.AddrInfo) error {
	finder, err := autorelay.NewAutoRelay(h.BasicHost, autorelay.WithStaticRelays(relays))
	if err != nil {
		return err
	}
	h.relay = finder
	h.relay.Start()
	h.Start()
	private, err := autonat.New(h.BasicHost, autonat.WithReachability(network.ReachabilityPrivate))
	if err != nil {
		return err
	}
	h.SetAutoNat(private)
	return nil
}
