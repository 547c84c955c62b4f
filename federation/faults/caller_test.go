package faults

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/node/identity"
)

// frames are the streams that nodes talk on.
const frames protocol.ID = "/hearsay/frames/1"

// A caller is a libp2p host that keeps to no rules. It counts what it is sent.
type caller struct {
	host.Host
	heard atomic.Int64 // bytes on any stream of frames
}

// newCaller is a caller with a key, which listens on port if that is not 0 and
// speaks the protocols.
func newCaller(t testing.TB, key identity.Key, port int, speaks ...protocol.ID) *caller {
	options := []libp2p.Option{libp2p.Identity(key.Libp2p()), libp2p.DisableMetrics(), libp2p.NoListenAddrs}
	if port != 0 {
		options[2] = libp2p.ListenAddrStrings(fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", port))
	}
	h, err := libp2p.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{Host: h}
	t.Cleanup(func() { h.Close() })
	for _, id := range speaks {
		h.SetStreamHandler(id, c.listen)
	}
	return c
}

func (c *caller) listen(s network.Stream) {
	n, _ := io.Copy(io.Discard, s)
	c.heard.Add(n)
}

// call opens a stream to a node, or says why it could not.
func (c *caller) call(w *world, i int) (network.Stream, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	address := ma.StringCast(w.ports[i].Multiaddress())
	if network, ok := c.Network().(*swarm.Swarm); ok {
		network.Backoff().Clear(w.keys[i].Peer().ID())
	}
	if err := c.Connect(ctx, peer.AddrInfo{ID: w.keys[i].Peer().ID(), Addrs: []ma.Multiaddr{address}}); err != nil {
		return nil, err
	}
	return c.NewStream(ctx, w.keys[i].Peer().ID(), frames)
}

// say sends bytes to a node on a stream of their own.
func (c *caller) say(w *world, i int, data []byte) {
	w.t.Helper()
	s, err := c.call(w, i)
	if err != nil {
		w.t.Errorf("call to %s: %v", w.names[i], err)
		return
	}
	_, _ = s.Write(data) // the node may have ended the stream
	_ = s.CloseWrite()
}

func newKey(t testing.TB) identity.Key {
	key, err := identity.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// metric is a counter of a running node, all its labels added up.
func (w *world) metric(i int, name string) float64 {
	w.t.Helper()
	all, err := w.metrics(i)
	if err != nil {
		w.t.Fatal(err)
	}
	value, found := all[name]
	if !found {
		w.t.Fatalf("%s has no metric %s", w.names[i], name)
	}
	return value
}

// metrics are all of a running node; an error where it does not answer.
func (w *world) metrics(i int) (map[string]float64, error) {
	text, err := os.ReadFile(filepath.Join(w.folder(i), "status.json"))
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(text), `"address": "`)
	address, _, _ := strings.Cut(rest, `"`)
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	found := map[string]float64{}
	for line := range strings.Lines(string(all)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(key, "#") {
			continue
		}
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, err
		}
		base, _, _ := strings.Cut(key, "{")
		found[base] += x
	}
	return found, nil
}
