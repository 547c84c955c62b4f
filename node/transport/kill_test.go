package transport

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"
)

// childEnv holds, for a process of this test binary that is to be node 1, its
// own address and that of node 0.
const childEnv = "HEARSAY_TRANSPORT_CHILD"

func TestMain(m *testing.M) {
	if addrs := os.Getenv(childEnv); addrs != "" {
		echoForEver([]byte(addrs))
	}
	os.Exit(m.Run())
}

// echoForEver is node 1: it sends every frame back until it is killed.
func echoForEver(addrs []byte) {
	var texts [2]string
	if err := json.Unmarshal(addrs, &texts); err != nil {
		panic(err)
	}
	n, err := NewLibp2p(Config{
		Self: 1, Key: testKey(&testing.T{}, 1), MaxFrame: maxFrame, Listen: []ma.Multiaddr{ma.StringCast(texts[1])},
		Neighbours: []Neighbour{{ID: 0, Peer: testKey(&testing.T{}, 0).Peer(), Addrs: []ma.Multiaddr{ma.StringCast(texts[0])}}},
	})
	if err != nil {
		panic(err)
	}
	for {
		in, err := n.Receive(context.Background())
		if err != nil {
			panic(err)
		}
		if !in.Up {
			_ = n.Send(context.Background(), in.From, in.Frame)
		}
	}
}

// A neighbour's process that is killed, so that it says no goodbye, and
// started again is linked again.
func TestKilledPeerIsLinkedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	for name, format := range map[string]string{"tcp": "/ip4/127.0.0.1/tcp/%d", "quic": "/ip4/127.0.0.1/udp/%d/quic-v1"} {
		t.Run(name, func(t *testing.T) {
			config := libp2pConfigs(t, format)[0]
			n, err := NewLibp2p(config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { closed(t, n) })
			addrs, err := json.Marshal([]string{config.Listen[0].String(), config.Neighbours[0].Addrs[0].String()})
			if err != nil {
				t.Fatal(err)
			}
			for life := range byte(3) {
				child := exec.Command(os.Args[0])
				child.Env, child.Stderr = append(os.Environ(), childEnv+"="+string(addrs)), os.Stderr
				if err := child.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _, _ = child.Process.Kill(), child.Wait() })
				began := time.Now()
				untilEchoed(t, n, life)
				t.Logf("life %d: echo after %v", life, time.Since(began))
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = child.Wait() // killed
			}
		})
	}
}

// untilEchoed sends a frame again and again until it comes back.
func untilEchoed(t *testing.T, n *Libp2p, content byte) {
	ctx := limited(t)
	for ctx.Err() == nil {
		_ = n.Send(ctx, 1, []byte{content})
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		in, err := n.Receive(short)
		cancel()
		if err == nil && !in.Up && in.Frame[0] == content {
			return
		}
	}
	t.Fatal("no echo")
}
