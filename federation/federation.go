package federation

import (
	"context"
	"fmt"
	"strings"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// A Federation holds a spec as one of its participants sees it. All of it is public. Only Written
// changes a Federation after Open.
type Federation struct {
	Spec  *spec.Spec // resolved
	Self  step.NodeID
	Names []string        // of all participants, by id
	Peers []identity.Peer // their keys
	Hash  [32]byte        // of the resolved spec, see HashOf
	Noise Noise           // added to releases, with its accounting

	addresses [][]ma.Multiaddr // at which each participant is reached, by id
	relays    []ma.Multiaddr   // through which participants without an address are reached
	fields    []wire.Field
	setup     *experiment.Priced
	steps     float64 // upper bound on how many steps of the grid one turn moves two models apart; 0: not known yet
	shape     dataset.Shape
}

// Open returns the federation of s for the participant called name. It reads no data.
func Open(ctx context.Context, s *spec.Spec, name string) (*Federation, error) {
	f := &Federation{Self: step.NodeID(s.Number(name))}
	if s.Federated() && f.Self < 0 {
		return nil, s.NoParticipant(name)
	}
	setup, err := experiment.OpenPublic(ctx, s)
	if err != nil {
		return nil, err
	}
	f.setup, f.Spec, f.Names = setup, setup.Spec, s.Names()
	f.shape = experiment.PublicShape(f.Spec)
	if err := f.readParticipants(); err != nil {
		return nil, err
	}
	if f.Hash, f.fields, err = digest(f.Spec); err != nil {
		return nil, err
	}
	return f, f.setNoise()
}

// readParticipants parses the keys, addresses and relays of the spec.
func (f *Federation) readParticipants() error {
	for _, p := range f.Spec.Participants {
		peer, err := identity.ParsePeer(p.Key)
		if err != nil {
			return fault.Wrap(err, fmt.Sprintf("participants: %s: key", p.Name), fault.Hint(err))
		}
		addresses, err := Addresses(p.Addresses)
		if err != nil {
			return fault.Wrap(err, fmt.Sprintf("participants: %s", p.Name), fault.Hint(err))
		}
		f.Peers, f.addresses = append(f.Peers, peer), append(f.addresses, addresses)
	}
	if err := f.readRelays(); err != nil {
		return err
	}
	return f.checkReach()
}

// Addresses parses multiaddresses on which a node can listen or be dialled. A multiaddress that
// contains a key (/p2p/) is an error.
func Addresses(texts []string) ([]ma.Multiaddr, error) {
	const hint = "write /ip4/192.0.2.7/udp/4100/quic-v1, /ip4/192.0.2.7/tcp/4100 or /dns4/lyon.example/tcp/4100"
	var all []ma.Multiaddr
	for _, text := range texts {
		address, err := ma.NewMultiaddr(text)
		if err != nil {
			return nil, fault.Wrap(err, fmt.Sprintf("address %q", text), hint)
		}
		if _, err := address.ValueForProtocol(ma.P_P2P); err == nil {
			return nil, fault.New(fmt.Sprintf("address %q names a key", text), "leave /p2p/... out; the participant's key is in key:")
		}
		all = append(all, address)
	}
	return all, nil
}

// listenable returns the addresses on which to listen so that others can reach the given ones. A DNS
// name becomes the unspecified address, because others use the name to reach this machine, and the
// machine listens on all of its interfaces.
func listenable(addresses []ma.Multiaddr) ([]ma.Multiaddr, error) {
	var texts []string
	for _, address := range addresses {
		parts := strings.SplitN(address.String(), "/", 4) // "", protocol, value, the rest
		switch {
		case len(parts) == 4 && parts[1] == "dns6":
			parts[1], parts[2] = "ip6", "::"
		case len(parts) == 4 && strings.HasPrefix(parts[1], "dns"):
			parts[1], parts[2] = "ip4", "0.0.0.0"
		}
		texts = append(texts, strings.Join(parts, "/"))
	}
	return Addresses(texts)
}

// checkReach returns an error if neither of two neighbours has an address and the spec names no
// relay.
func (f *Federation) checkReach() error {
	for u := range f.Names {
		for _, v := range f.setup.Neighbours(u) {
			if len(f.addresses[u])+len(f.addresses[v])+len(f.relays) == 0 {
				return fault.New(fmt.Sprintf("participants: %s and %s are neighbours, and neither has an address", f.Names[u], f.Names[v]),
					"give one of them an address that the other can dial, or name a relay under federation.relays")
			}
		}
	}
	return nil
}

// Name returns this participant's name.
func (f *Federation) Name() string { return f.Names[f.Self] }

// Peer returns the key that the spec lists for this participant.
func (f *Federation) Peer() identity.Peer { return f.Peers[f.Self] }

// Neighbours returns the participants with which this one exchanges messages, by rising id.
func (f *Federation) Neighbours() []step.NodeID {
	var ids []step.NodeID
	for _, v := range f.setup.Neighbours(int(f.Self)) {
		ids = append(ids, step.NodeID(v))
	}
	return ids
}

// Params returns the number of parameters of the model.
func (f *Federation) Params() int { return f.setup.Algorithm.Local().Params }

// Features returns the columns that a data file must have besides the target.
func (f *Federation) Features() []string { return f.shape.Features() }

// Read reads a data file in the way the spec says for this participant. test is the share of rows
// that Read keeps for testing. Read ignores both arguments if the model is external, because the
// participant's program holds the rows.
func (f *Federation) Read(path string, test float64) (*dataset.Shard, error) {
	if f.Spec.External() {
		return f.numbered()
	}
	return f.shape.OpenShard(path, test, f.Spec.Seed, f.Self)
}

// Objective returns the function that the run minimises.
func (f *Federation) Objective() model.Objective { return f.setup.Objective }
