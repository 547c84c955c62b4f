package transport

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/identity"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	ma "github.com/multiformats/go-multiaddr"
)

// RelayConfig holds the settings of a relay.
type RelayConfig struct {
	Key    identity.Key
	Listen []ma.Multiaddr
	// Links holds the neighbours of each participant. Other peers are refused, and only neighbours are connected
	// with each other.
	Links  map[identity.Peer][]identity.Peer
	Memory int64 // bytes libp2p may reserve: 16 MiB and 4 MiB a participant if zero
	// Seen is called when a participant connects or disconnects. It may be nil.
	Seen func(p identity.Peer, came bool)
}

// A Relay carries bytes between participants that cannot dial each other. The bytes are encrypted between the two.
// The relay learns who communicates with whom from which address, when, and how much.
type Relay struct {
	host      host.Host
	service   *relay.Relay
	strangers atomic.Uint64
}

// NewRelay starts a relay, which listens and carries from then on.
func NewRelay(c RelayConfig) (*Relay, error) {
	if len(c.Links) < 2 || len(c.Listen) == 0 {
		return nil, fault.New(fmt.Sprintf("a relay for %d participants on %d addresses", len(c.Links), len(c.Listen)), "it needs two participants and an address to listen on")
	}
	r := &Relay{}
	g, doors, config := &gater{allowed: map[peer.ID]bool{}, strangers: &r.strangers}, links{}, Config{Key: c.Key, Listen: c.Listen, Memory: c.Memory}
	for p, neighbours := range c.Links {
		g.allowed[p.ID()], config.carried = true, max(config.carried, len(neighbours))
		for _, n := range neighbours {
			doors[[2]peer.ID{p.ID(), n.ID()}] = true
		}
	}
	set(&config.Memory, 16<<20+int64(len(c.Links))*(4<<20))
	config = config.withDefaults()
	var err error
	if r.host, err = newHost(&config, g); err != nil {
		return nil, err
	}
	if r.service, err = relay.New(r.host, relay.WithACL(doors), relay.WithReservationAddressFilter(everywhere), relay.WithResources(relay.Resources{
		ReservationTTL: time.Hour, MaxReservations: len(c.Links),
		MaxReservationsPerIP: len(c.Links), MaxReservationsPerASN: len(c.Links), // all may sit behind one NAT
		MaxCircuits: 2 * connsPerPeer * config.carried, BufferSize: 4096,
	})); err != nil {
		return nil, errors.Join(fault.Wrap(err, "relay cannot be opened", "this is a fault in the program"), r.closeHost())
	}
	r.host.Network().Notify(&network.NotifyBundle{ConnectedF: c.tell(true), DisconnectedF: c.tell(false)})
	return r, nil
}

// tell returns a notifier that calls Seen.
func (c RelayConfig) tell(came bool) func(network.Network, network.Conn) {
	return func(_ network.Network, conn network.Conn) {
		if p, err := identity.PeerOf(conn.RemotePeer()); err == nil && c.Seen != nil {
			c.Seen(p, came)
		}
	}
}

// everywhere accepts all addresses, because relays of a hospital network have private ones.
func everywhere(ma.Multiaddr) bool { return true }

// links holds the pairs of peers that may be connected.
type links map[[2]peer.ID]bool

// AllowReserve accepts every peer that the gater admits.
func (links) AllowReserve(peer.ID, ma.Multiaddr) bool { return true }

// AllowConnect reports whether two peers are neighbours.
func (l links) AllowConnect(from peer.ID, _ ma.Multiaddr, to peer.ID) bool {
	return l[[2]peer.ID{from, to}]
}

// Addrs returns the addresses that the relay listens on, as a spec writes them.
func (r *Relay) Addrs() []string {
	var all []string
	for _, a := range r.host.Network().ListenAddresses() {
		all = append(all, a.String()+"/p2p/"+r.host.ID().String())
	}
	return all
}

// Strangers returns the number of connections that were refused because their key is no participant's.
func (r *Relay) Strangers() uint64 { return r.strangers.Load() }

// Close ends all connections and stops the relay.
func (r *Relay) Close() error {
	return errors.Join(r.service.Close(), r.closeHost())
}

func (r *Relay) closeHost() error {
	return errors.Join(r.host.Close(), r.host.Network().ResourceManager().Close())
}
