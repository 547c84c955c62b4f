package transport

import (
	"context"
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/identity"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	"go.uber.org/goleak"
)

// attacked is node 1 of the contract's path, over TCP and over QUIC, which waits
// longer for a frame than any machine is slow; nodes 0 and 2 are not running.
func attacked(t *testing.T, test func(t *testing.T, victim *Libp2p)) {
	attackedWaiting(t, patience, test)
}

// attackedWaiting is attacked with a read timeout.
func attackedWaiting(t *testing.T, timeout time.Duration, test func(t *testing.T, victim *Libp2p)) {
	for name, format := range map[string]string{"tcp": "/ip4/127.0.0.1/tcp/%d", "quic": "/ip4/127.0.0.1/udp/%d/quic-v1"} {
		t.Run(name, func(t *testing.T) {
			ignore := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
			config := libp2pConfigs(t, format)[1]
			config.ReadTimeout = timeout
			victim, err := NewLibp2p(config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { closed(t, victim) })
			test(t, victim)
		})
	}
}

// plain is a libp2p node that keeps to no rules of this package.
func plain(t testing.TB, key identity.Key, listen ...ma.Multiaddr) host.Host {
	where := libp2p.ListenAddrs(listen...)
	if len(listen) == 0 {
		where = libp2p.NoListenAddrs
	}
	h, err := libp2p.New(libp2p.Identity(key.Libp2p()), where, libp2p.DisableMetrics())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// stream opens a stream to the victim, or says why it could not.
func stream(t testing.TB, h host.Host, victim *Libp2p) (network.Stream, error) {
	ctx := limited(t)
	if err := h.Connect(ctx, peer.AddrInfo{ID: victim.host.ID(), Addrs: victim.Addrs()}); err != nil {
		return nil, err
	}
	return h.NewStream(ctx, victim.host.ID(), protocolID)
}

// hostile is a stream from somebody who owns the key of node 0.
func hostile(t testing.TB, victim *Libp2p) network.Stream {
	s, err := stream(t, plain(t, testKey(t, 0)), victim)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustWrite(t testing.TB, s network.Stream, data []byte) {
	t.Helper()
	if _, err := s.Write(data); err != nil {
		t.Fatal(err)
	}
}

// ended waits until the victim has ended the stream.
func ended(t testing.TB, s network.Stream) {
	t.Helper()
	if err := s.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(make([]byte, 1)); err == nil || isTimeout(err) {
		t.Errorf("the stream was not ended: %v", err)
	}
}

// A stranger gets no connection, is counted, and delivers nothing.
func TestStrangersAreRefused(t *testing.T) {
	attacked(t, func(t *testing.T, victim *Libp2p) {
		stranger := plain(t, testKey(t, 99))
		for range 3 {
			// The stranger's side of the handshake may succeed before it is
			// told to leave; then its stream fails.
			if s, err := stream(t, stranger, victim); err == nil {
				_, _ = s.Write([]byte{1, 'x'})
				ended(t, s)
			}
		}
		eventually(t, "a stranger is counted", func() bool { return victim.Counters().Strangers > 0 })
		if got := victim.Counters(); got.FramesIn != 0 || got.BytesIn != 0 {
			t.Errorf("a stranger delivered: %+v", got)
		}
		eventually(t, "no connection is left", func() bool { return len(victim.host.Network().Conns()) == 0 })
	})
}

// A neighbour's address at which another key answers is not used.
func TestWrongKeyIsNotTrusted(t *testing.T) {
	for name, format := range map[string]string{"tcp": "/ip4/127.0.0.1/tcp/%d", "quic": "/ip4/127.0.0.1/udp/%d/quic-v1"} {
		t.Run(name, func(t *testing.T) {
			config := libp2pConfigs(t, format)[1]
			impostor := plain(t, testKey(t, 99), config.Neighbours[0].Addrs...)
			streams := make(chan network.Stream, 1)
			impostor.SetStreamHandler(protocolID, func(s network.Stream) { streams <- s })
			victim, err := NewLibp2p(config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { closed(t, victim) })
			eventually(t, "dials fail", func() bool { return victim.Counters().DialFailures >= 4 })
			if victim.Connected(0) || len(streams) > 0 || victim.Counters().Ups > 0 {
				t.Error("the impostor got a link")
			}
		})
	}
}

// 100 MB that are announced are refused without being allocated; the stream
// ends and is counted.
func TestOversizeIsRefused(t *testing.T) {
	attacked(t, func(t *testing.T, victim *Libp2p) {
		var before, after runtime.MemStats
		s := hostile(t, victim)
		mustWrite(t, s, []byte{2, 'o', 'k'})
		if in := nextFrame(t, victim); string(in.Frame) != "ok" || in.From != 0 {
			t.Fatalf("%+v", in)
		}
		runtime.ReadMemStats(&before)
		mustWrite(t, s, binary.AppendUvarint(nil, 100<<20))
		ended(t, s)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 50<<20 {
			t.Errorf("%d bytes were allocated for a frame that is refused", grown)
		}
		if got := victim.Counters(); got.Oversize != 1 || got.FramesIn != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// Lengths that are none end the stream and are counted.
func TestMalformedLengthIsRefused(t *testing.T) {
	attacked(t, func(t *testing.T, victim *Libp2p) {
		for i, data := range [][]byte{{0}, {0x81, 0x00}, {0xff, 0xff, 0xff, 0xff, 0xff, 0x01}} {
			s := hostile(t, victim)
			mustWrite(t, s, data)
			ended(t, s)
			if got := victim.Counters().Malformed; got != uint64(i+1) {
				t.Errorf("% x: %d malformed frames counted, want %d", data, got, i+1)
			}
		}
	})
}

// A frame that is begun and not finished ends the stream; silence between
// frames does not.
func TestSlowFramesAreRefused(t *testing.T) {
	attackedWaiting(t, 100*time.Millisecond, func(t *testing.T, victim *Libp2p) {
		s := hostile(t, victim)
		mustWrite(t, s, []byte{1, 'a'})
		nextFrame(t, victim)
		time.Sleep(300 * time.Millisecond) // three read timeouts of silence
		mustWrite(t, s, []byte{1, 'b'})
		nextFrame(t, victim)
		mustWrite(t, s, []byte{3, 'c'})
		ended(t, s)
		if got := victim.Counters(); got.ReadTimeouts != 1 || got.FramesIn != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// A stream that ends within a frame delivers nothing of it.
func TestTruncatedFramesAreCounted(t *testing.T) {
	attacked(t, func(t *testing.T, victim *Libp2p) {
		s := hostile(t, victim)
		mustWrite(t, s, []byte{1, 'a', 5, 'b'})
		if err := s.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "truncation counted", func() bool { return victim.Counters().Truncated == 1 })
		if got := victim.Counters(); got.FramesIn != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// Of many streams that a neighbour opens only the last is read.
func TestSecondStreamReplacesTheFirst(t *testing.T) {
	attacked(t, func(t *testing.T, victim *Libp2p) {
		h := plain(t, testKey(t, 0))
		const streams = 5
		for i := range byte(streams) {
			s, err := stream(t, h, victim)
			if err != nil {
				t.Fatal(err)
			}
			mustWrite(t, s, []byte{1, i})
			if in := nextFrame(t, victim); in.Frame[0] != i {
				t.Errorf("frame of stream %d on stream %d", in.Frame[0], i)
			}
		}
		eventually(t, "streams replaced", func() bool { return victim.Counters().Replaced == streams-1 })
	})
}

// Bytes that come back on the stream for sending end it.
func TestTalkingBackIsRefused(t *testing.T) {
	attacked(t, func(t *testing.T, victim *Libp2p) {
		h := plain(t, testKey(t, 0))
		h.SetStreamHandler(protocolID, func(s network.Stream) { _, _ = s.Write([]byte("hello?")) })
		if err := h.Connect(limited(t), peer.AddrInfo{ID: victim.host.ID(), Addrs: victim.Addrs()}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "bytes counted", func() bool { return victim.Counters().Malformed >= 1 })
	})
}

// Neighbours are told nothing of where else this node can be reached.
func TestAddressesAreNotTold(t *testing.T) {
	attacked(t, func(t *testing.T, victim *Libp2p) {
		h := plain(t, testKey(t, 0))
		sub, err := h.EventBus().Subscribe(new(event.EvtPeerIdentificationCompleted))
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := h.Connect(ctx, peer.AddrInfo{ID: victim.host.ID(), Addrs: victim.Addrs()}); err != nil {
			t.Fatal(err)
		}
		select {
		case e := <-sub.Out():
			if told := e.(event.EvtPeerIdentificationCompleted).ListenAddrs; len(told) > 0 {
				t.Errorf("told %v", told)
			}
		case <-ctx.Done():
			t.Fatal("the peers were never identified")
		}
	})
}
