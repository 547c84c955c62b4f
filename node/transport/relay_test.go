package transport

import (
	"testing"

	"github.com/hearsay-dp/hearsay/node/identity"

	ma "github.com/multiformats/go-multiaddr"
	"go.uber.org/goleak"
)

// relayFor starts a relay, and returns how configurations are changed to go through it.
func relayFor(t *testing.T, listen []ma.Multiaddr, links map[identity.Peer][]identity.Peer) (*Relay, func(Config) Config) {
	t.Helper()
	relay, err := NewRelay(RelayConfig{Key: testKey(t, 50), Listen: listen, Links: links})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	})
	at := ma.StringCast(relay.Addrs()[0])
	return relay, func(c Config) Config {
		c.Listen, c.Relays = nil, []ma.Multiaddr{at}
		for j := range c.Neighbours {
			c.Neighbours[j].Addrs = []ma.Multiaddr{at.Encapsulate(ma.StringCast("/p2p-circuit"))}
		}
		return c
	}
}

// opened is a transport that is closed in the end.
func opened(t *testing.T, c Config) *Libp2p {
	t.Helper()
	n, err := NewLibp2p(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, n) })
	return n
}

// A node that listens nowhere is reached through a relay, if the spec of both
// names it; the relay itself is no neighbour.
func TestRelay(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")
	peers := []identity.Peer{configs[0].Key.Peer(), configs[1].Key.Peer()}
	_, through := relayFor(t, configs[2].Listen, map[identity.Peer][]identity.Peer{peers[0]: peers[1:], peers[1]: peers[:1]})
	nodes := []*Libp2p{opened(t, through(configs[0])), opened(t, through(configs[1]))}
	linked(t, nodes[0], 0, nodes[1], 1)
	mustSend(t, nodes[0], 1, []byte("through the relay"))
	if in := nextFrame(t, nodes[1]); in.From != 0 || string(in.Frame) != "through the relay" {
		t.Errorf("%+v", in)
	}
	if !nodes[0].Relayed(1) {
		t.Error("the link does not say that it is relayed")
	}
	for _, c := range nodes[0].host.Network().ConnsToPeer(peers[1].ID()) {
		if !relayed(c) {
			t.Errorf("the link goes over %s", c.RemoteMultiaddr())
		}
	}
}

// A relay lets in whom it lists, and connects those who are neighbours.
func TestRelayCarriesAlongEdgesOnly(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")
	known, other := configs[0].Key.Peer(), testKey(t, 60).Peer() // 1 is nobody's neighbour
	relay, through := relayFor(t, configs[2].Listen, map[identity.Peer][]identity.Peer{known: {other}, other: {known}})
	for i, decided := range []func() bool{
		func() bool { return len(relay.host.Network().ConnsToPeer(known.ID())) > 0 },
		func() bool { return relay.Strangers() > 0 },
	} {
		n := opened(t, through(configs[i]))
		eventually(t, "the relay has decided", decided)
		if n.Connected(1 - n.config.Self) {
			t.Error("they are connected")
		}
	}
}
