package federation

import (
	"context"
	"fmt"
	"slices"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/spec"
)

// circuit follows a relay's address in the address of a participant behind the relay.
var circuit = ma.StringCast("/p2p-circuit")

// anywhere lists the listening addresses of a participant whom others reach through a relay. They
// are QUIC addresses on any free port, which NATs may open for neighbours.
var anywhere = []string{"/ip4/0.0.0.0/udp/0/quic-v1", "/ip6/::/udp/0/quic-v1"}

// readRelays parses the relays of the spec. A relay with a participant's key is an error.
func (f *Federation) readRelays() error {
	for _, text := range f.Spec.Federation.Relays {
		const hint = "write the address and the peer id that hearsay keys printed, such as /dns4/relay.example/udp/4100/quic-v1/p2p/12D3KooW..."
		address, err := ma.NewMultiaddr(text)
		if err != nil {
			return fault.Wrap(err, fmt.Sprintf("federation.relays: %q", text), hint)
		}
		_, peer, err := splitRelay(address)
		if err != nil {
			return fault.Wrap(err, fmt.Sprintf("federation.relays: %q", text), hint)
		}
		if i := slices.Index(f.Peers, peer); i >= 0 {
			return fault.New(fmt.Sprintf("federation.relays: %q has the key of %s", text, f.Names[i]), "a relay has a key of its own; it may run on a participant's machine")
		}
		f.relays = append(f.relays, address)
	}
	return nil
}

// splitRelay splits the address of a relay into its listening address and its key.
func splitRelay(address ma.Multiaddr) (where ma.Multiaddr, peer identity.Peer, err error) {
	where, last := ma.SplitLast(address)
	if last == nil || last.Protocol().Code != ma.P_P2P || len(where) == 0 {
		return nil, peer, fault.New("it does not end in /p2p/ and a peer id", "")
	}
	if _, err := where.ValueForProtocol(ma.P_CIRCUIT); err == nil {
		return nil, peer, fault.New("it leads through another relay", "")
	}
	peer, err = identity.ParsePeer(last.Value())
	return where, peer, err
}

// behind reports whether a participant has no address and is reached through relays.
func (f *Federation) behind(v int) bool { return len(f.addresses[v]) == 0 && len(f.relays) > 0 }

// throughRelays returns the addresses, one per relay, of a participant that is reached through
// relays.
func (f *Federation) throughRelays() (all []ma.Multiaddr) {
	for _, r := range f.relays {
		all = append(all, r.Encapsulate(circuit))
	}
	return all
}

// A RelayFor carries bytes between the participants of a spec that have no address. It is no
// participant's neighbour and takes no part in the run.
type RelayFor struct {
	Listen []ma.Multiaddr // addresses that the spec lists with the relay's key
	Config transport.RelayConfig
	Names  map[identity.Peer]string
}

// OpenRelay returns the relay of the spec that has the given key.
func OpenRelay(ctx context.Context, s *spec.Spec, key identity.Key) (*RelayFor, error) {
	if !s.Federated() || len(s.Federation.Relays) == 0 {
		return nil, fault.New("the spec names no relay", "list its address under federation.relays, with the peer id of its key")
	}
	f, err := Open(ctx, s, s.Participants[0].Name)
	if err != nil {
		return nil, err
	}
	r := &RelayFor{Names: map[identity.Peer]string{}, Config: transport.RelayConfig{Key: key, Links: map[identity.Peer][]identity.Peer{}}}
	for u, peer := range f.Peers {
		r.Names[peer] = f.Names[u]
		r.Config.Links[peer] = nil
		for _, v := range f.setup.Neighbours(u) {
			r.Config.Links[peer] = append(r.Config.Links[peer], f.Peers[v])
		}
	}
	var own []ma.Multiaddr
	for _, address := range f.relays {
		where, peer, err := splitRelay(address)
		if err != nil {
			return nil, err
		}
		if peer == key.Peer() {
			own = append(own, where)
		}
	}
	if own == nil {
		return nil, fault.New(fmt.Sprintf("the key is that of %s, and the spec names no such relay", key.Peer()), "give the key whose peer id federation.relays has")
	}
	r.Listen, err = listenable(own)
	return r, err
}
