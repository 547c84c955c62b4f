package transport

import (
	"errors"

	"github.com/libp2p/go-libp2p/core/network"
)

// inbound is a stream being read.
type inbound struct {
	stream network.Stream
	stop   chan struct{} // closed: read no more
	ended  chan struct{} // closed when its reader has ended
}

// receive reads the frames of a stream until it ends. A neighbour sends on one stream: if it opens another one,
// the earlier one is ended.
func (l *link) receive(s network.Stream) {
	in := &inbound{stream: s, stop: make(chan struct{}), ended: make(chan struct{})}
	if l.takeOver(in) {
		l.count(l.pump(in))
		close(in.ended)
		l.readers.Done()
	}
	_ = s.Reset()
}

// takeOver makes in the current stream, and waits until the one before has delivered its last frame. It returns
// false if the transport closes.
func (l *link) takeOver(in *inbound) bool {
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return false
	}
	l.readers.Add(1)
	earlier := l.reading
	l.reading = in
	l.mu.Unlock()
	if earlier != nil {
		l.leave(earlier, in)
		close(earlier.stop)
		_ = earlier.stream.Reset()
		<-earlier.ended
	}
	return true
}

// leave closes the connection of the earlier stream if the peer has opened a stream on another connection. The
// peer may have been killed and restarted, and a connection without a goodbye looks alive for 30 s. A stream of
// ours on the closed connection is reopened on the new one.
func (l *link) leave(earlier, in *inbound) {
	left := earlier.stream.Conn()
	if left.ID() == in.stream.Conn().ID() {
		return
	}
	l.readers.Go(func() {
		_ = left.Close()
		l.wake()
	})
}

// errReplaced ends a stream that is no longer the current one, or the reader of a transport that closes.
var errReplaced = errors.New("another stream was opened")

// pump delivers frames to Receive until the stream ends.
func (l *link) pump(in *inbound) error {
	r := newFrameReader(in.stream, l.t.config.MaxFrame, l.t.config.ReadTimeout, l.t.spare)
	for {
		frame, err := r.next()
		if err != nil {
			return in.why(err)
		}
		l.t.tally.in(frame)
		if !l.t.put(Inbound{From: l.neighbour.ID, Frame: frame, spare: l.t.spare}, in.stop) {
			return errReplaced
		}
	}
}

// why returns err, or errReplaced if this side ended the stream.
func (in *inbound) why(err error) error {
	select {
	case <-in.stop:
		return errReplaced
	default:
		return err
	}
}

// count counts the reason for which a stream ended. The end of a connection is not counted.
func (l *link) count(err error) {
	switch c := &l.t.tally; {
	case l.t.ctx.Err() != nil:
	case errors.Is(err, errOversize):
		c.oversize.Add(1)
	case errors.Is(err, errMalformed):
		c.malformed.Add(1)
	case errors.Is(err, errSlow):
		c.readTimeouts.Add(1)
	case errors.Is(err, errTruncated):
		c.truncated.Add(1)
	case errors.Is(err, errReplaced):
		c.replaced.Add(1)
	}
}

// quiet waits until no stream is being read. The transport must be closing.
func (l *link) quiet() {
	l.mu.Lock()
	last := l.reading
	l.over = true
	l.mu.Unlock()
	if last != nil {
		_ = last.stream.Reset()
	}
	l.readers.Wait()
}
