package transport

import (
	"testing"

	"github.com/libp2p/go-libp2p"
	relayv2 "github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	ma "github.com/multiformats/go-multiaddr"
	"go.uber.org/goleak"
)

// A node that listens nowhere is reached through a relay, if the spec of both
// names it; the relay itself is no neighbour.
func TestRelay(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")
	relayKey := testKey(t, 50)
	relay, err := libp2p.New(libp2p.Identity(relayKey.Libp2p()), libp2p.ListenAddrs(configs[2].Listen...), libp2p.DisableMetrics(),
		libp2p.EnableRelayService(relayv2.WithInfiniteLimits()), libp2p.ForceReachabilityPublic())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { relay.Close() })
	relayAddr := relay.Addrs()[0].Encapsulate(ma.StringCast("/p2p/" + relayKey.Peer().String()))
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
	host := nodes[0].(*Libp2p).host
	for _, c := range host.Network().ConnsToPeer(configs[1].Key.Peer().ID()) {
		if _, err := c.RemoteMultiaddr().ValueForProtocol(ma.P_CIRCUIT); err != nil {
			t.Errorf("the link goes over %s", c.RemoteMultiaddr())
		}
	}
}
