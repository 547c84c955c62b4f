package transport

import (
	"fmt"
	"testing"

	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"
)

// When strangers' handshakes have taken all the room there is, connections from
// neighbours' addresses still find some, and as much as neighbours need.
func TestStrangersLeaveRoomForNeighbours(t *testing.T) {
	neighbours := []Neighbour{
		{ID: 1, Peer: testKey(t, 1).Peer(), Addrs: []ma.Multiaddr{ma.StringCast("/ip4/192.0.2.1/tcp/4100"), ma.StringCast("/dns4/lyon.example/tcp/4100")}},
		{ID: 2, Peer: testKey(t, 2).Peer(), Addrs: []ma.Multiaddr{ma.StringCast("/ip6/2001:db8::2/udp/4100/quic-v1")}},
		{ID: 3, Peer: testKey(t, 3).Peer()},
	}
	known := knownAddresses(neighbours)
	if len(known) != 2 {
		t.Fatalf("known are %v", known)
	}
	manager, err := newLimits(len(neighbours), streamsPerPeer, 1<<24, known)
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	open := func(from string) error {
		_, err := manager.OpenConnection(network.DirInbound, true, ma.StringCast(from))
		return err
	}
	taken := 0
	for refused := false; !refused; taken++ {
		if taken > 10*handshakes {
			t.Fatal("strangers find room for ever")
		}
		refused = open(fmt.Sprintf("/ip4/10.%d.%d.1/tcp/99", taken/200, taken%200)) != nil
	}
	for range connsPerPeer {
		for _, from := range []string{"/ip4/192.0.2.1/tcp/99", "/ip6/2001:db8::2/udp/99/quic-v1"} {
			if err := open(from); err != nil {
				t.Errorf("after %d connections of strangers, none from %s: %v", taken, from, err)
			}
		}
	}
	if open("/ip4/192.0.2.3/tcp/99") == nil {
		t.Error("one more stranger found room")
	}
}
