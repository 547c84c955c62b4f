package transport

import (
	"fmt"
	"net"
	"testing"

	ma "github.com/multiformats/go-multiaddr"
	"go.uber.org/goleak"
)

// What cannot listen leaves nothing behind: no goroutine, no socket.
func TestAHostThatCannotListenLeavesNothing(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, relays := range [][]ma.Multiaddr{nil, {ma.StringCast("/ip4/127.0.0.1/tcp/9/p2p/" + testKey(t, 50).Peer().String())}} {
		c := Config{
			Self: 0, Key: testKey(t, 0), MaxFrame: maxFrame, Relays: relays, HolePunch: relays != nil,
			Listen: []ma.Multiaddr{ma.StringCast(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", taken.Addr().(*net.TCPAddr).Port))},
		}
		if n, err := NewLibp2p(c); err == nil {
			t.Error("two hosts listen on one port", n.Close())
		}
	}
	goleak.VerifyNone(t, ignore)
}

// The host with everything asked for begins and ends.
func TestAHostThatPunchesHoles(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	c := Config{
		Self: 0, Key: testKey(t, 0), MaxFrame: maxFrame, HolePunch: true,
		Relays: []ma.Multiaddr{ma.StringCast("/ip4/127.0.0.1/tcp/9/p2p/" + testKey(t, 50).Peer().String())},
		Listen: []ma.Multiaddr{ma.StringCast("/ip4/127.0.0.1/tcp/0"), ma.StringCast("/ip4/127.0.0.1/udp/0/quic-v1")},
	}
	n, err := NewLibp2p(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Addrs()) < 2 {
		t.Errorf("listens on %v", n.Addrs())
	}
	closed(t, n)
	goleak.VerifyNone(t, ignore)
}
