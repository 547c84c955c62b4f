package transport

import (
	"testing"

	"github.com/hearsay-dp/hearsay/node/identity"

	ma "github.com/multiformats/go-multiaddr"
	"go.uber.org/goleak"
)

// A node that listens nowhere is reached through a relay, if the spec of both
// names it; the relay itself is no neighbour.
func TestRelay(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")
	key := testKey(t, 50)
	peers := []identity.Peer{configs[0].Key.Peer(), configs[1].Key.Peer()}
	relay, err := NewRelay(RelayConfig{Key: key, Listen: configs[2].Listen, Links: map[identity.Peer][]identity.Peer{peers[0]: peers[1:], peers[1]: peers[:1]}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	})
	relayAddr := ma.StringCast(relay.Addrs()[0])
	nodes := make([]Transport, 2)
	for i := range nodes {
		c := configs[i]
		c.Listen, c.Relays = nil, []ma.Multiaddr{relayAddr}
		for j := range c.Neighbours {
			c.Neighbours[j].Addrs = []ma.Multiaddr{relayAddr.Encapsulate(ma.StringCast("/p2p-circuit"))}
		}
		n, err := NewLibp2p(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, n) })
		nodes[i] = n
	}
	linked(t, nodes[0], 0, nodes[1], 1)
	mustSend(t, nodes[0], 1, []byte("through the relay"))
	if in := nextFrame(t, nodes[1]); in.From != 0 || string(in.Frame) != "through the relay" {
		t.Errorf("%+v", in)
	}
	if !nodes[0].(*Libp2p).Relayed(1) {
		t.Error("the link does not say that it is relayed")
	}
	host := nodes[0].(*Libp2p).host
	for _, c := range host.Network().ConnsToPeer(configs[1].Key.Peer().ID()) {
		if _, err := c.RemoteMultiaddr().ValueForProtocol(ma.P_CIRCUIT); err != nil {
			t.Errorf("the link goes over %s", c.RemoteMultiaddr())
		}
	}
}

// A relay lets in whom it lists, and connects those who are neighbours.
func TestRelayCarriesAlongEdgesOnly(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")
	peers := []identity.Peer{configs[0].Key.Peer(), configs[1].Key.Peer(), testKey(t, 60).Peer()}
	relay, err := NewRelay(RelayConfig{Key: testKey(t, 50), Listen: configs[2].Listen, Links: map[identity.Peer][]identity.Peer{peers[0]: peers[2:], peers[2]: peers[:1]}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	})
	relayAddr := ma.StringCast(relay.Addrs()[0])
	for i, want := range []func() bool{
		func() bool { return relay.service != nil && len(relay.host.Network().ConnsToPeer(peers[0].ID())) > 0 }, // let in, but 1 is no neighbour of 0
		func() bool { return relay.Strangers() > 0 },
	} {
		c := configs[i]
		c.Listen, c.Relays = nil, []ma.Multiaddr{relayAddr}
		for j := range c.Neighbours {
			c.Neighbours[j].Addrs = []ma.Multiaddr{relayAddr.Encapsulate(ma.StringCast("/p2p-circuit"))}
		}
		n, err := NewLibp2p(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, n) })
		eventually(t, "the relay has decided", want)
		if n.Connected(1 - c.Self) {
			t.Error("they are connected")
		}
	}
}
