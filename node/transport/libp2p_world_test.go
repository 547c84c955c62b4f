package transport

import (
	"crypto/sha256"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/step"

	"bytes"

	ma "github.com/multiformats/go-multiaddr"
)

// testKey is the key of a node in tests.
func testKey(t testing.TB, id step.NodeID) identity.Key {
	seed := sha256.Sum256(fmt.Appendf(nil, "test node %d", id))
	k, err := identity.Generate(bytes.NewReader(seed[:]))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// freePorts are ports of loopback that TCP and UDP can both have.
func freePorts(t testing.TB, n int) []int {
	var ports []int
	for len(ports) < n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		if u, err := net.ListenPacket("udp4", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			u.Close()
			ports = append(ports, port)
		}
	}
	return ports
}

func address(t testing.TB, format string, port int) ma.Multiaddr {
	a, err := ma.NewMultiaddr(fmt.Sprintf(format, port))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// libp2pConfigs are the nodes of the contract's path over loopback.
func libp2pConfigs(t testing.TB, format string) []Config {
	ports := freePorts(t, 3)
	configs := make([]Config, 3)
	for i := range configs {
		id := step.NodeID(i)
		configs[i] = Config{
			Self: id, Key: testKey(t, id), Listen: []ma.Multiaddr{address(t, format, ports[i])}, MaxFrame: maxFrame, Queue: 8,
			BackoffMin: 5 * time.Millisecond, BackoffMax: 200 * time.Millisecond,
		}
		for j := range configs {
			if peer := step.NodeID(j); adjacent(id, peer) {
				configs[i].Neighbours = append(configs[i].Neighbours, Neighbour{
					ID: peer, Peer: testKey(t, peer).Peer(), Addrs: []ma.Multiaddr{address(t, format, ports[j])}})
			}
		}
	}
	return configs
}

func libp2pWorld(t testing.TB, format string) world {
	configs := libp2pConfigs(t, format)
	return func(id step.NodeID) Transport {
		n, err := NewLibp2p(configs[id])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}
