package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/step"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	manet "github.com/multiformats/go-multiaddr/net"
)

// flood connects strangers to the victim from several sides at once.
func flood(t *testing.T, victim *Libp2p, sides, each int) {
	var all sync.WaitGroup
	for side := range sides {
		h := plain(t, testKey(t, step.NodeID(100+side)))
		all.Go(func() {
			for range each {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				_ = h.Connect(ctx, peer.AddrInfo{ID: victim.host.ID(), Addrs: victim.Addrs()})
				_ = h.Network().ClosePeer(victim.host.ID())
				cancel()
			}
		})
	}
	all.Wait()
}

// silence opens TCP connections that say nothing; none over QUIC.
func silence(t *testing.T, victim *Libp2p, n int) {
	target, err := manet.ToNetAddr(victim.Addrs()[0])
	if err != nil || target.Network() != "tcp" {
		return
	}
	for range n {
		c, err := net.Dial("tcp", target.String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
}

// Strangers' handshakes, silent connections, and a neighbour that begins
// frames on many streams leave the node usable, its connections and its
// reserved memory within the limits.
func TestFloodLeavesTheNodeUsable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds")
	}
	attacked(t, func(t *testing.T, victim *Libp2p) {
		silence(t, victim, handshakes/2)
		flood(t, victim, 4, 20)
		neighbour := plain(t, testKey(t, 0))
		for range 3 * streamsPerPeer {
			if s, err := stream(t, neighbour, victim); err == nil {
				_, _ = s.Write([]byte{200, 1}) // begins a frame
			}
		}
		manager := victim.host.Network().ResourceManager()
		if err := errors.Join(
			manager.ViewSystem(func(s network.ResourceScope) error {
				return within(s, connsPerPeer*2+2*handshakes, victim.config.Memory)
			}),
			manager.ViewPeer(neighbour.ID(), func(s network.PeerScope) error { return within(s, 2*connsPerPeer, victim.config.Memory) }),
		); err != nil {
			t.Error(err)
		}
		if err := neighbour.Close(); err != nil {
			t.Error(err)
		}
		s := hostile(t, victim)
		mustWrite(t, s, []byte{2, 'o', 'k'})
		if in := nextFrame(t, victim); string(in.Frame) != "ok" {
			t.Errorf("%+v", in)
		}
		if got := victim.Counters(); got.Strangers == 0 || got.FramesIn != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// within is an error if a scope holds more than it may.
func within(s network.ResourceScope, conns int, memory int64) error {
	stat := s.Stat()
	if n := stat.NumConnsInbound + stat.NumConnsOutbound; n > conns || stat.Memory > memory || stat.NumStreamsInbound > 2*streamsPerPeer {
		return fmt.Errorf("more than the limits allow: %+v", stat)
	}
	return nil
}
