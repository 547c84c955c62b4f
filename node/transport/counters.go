package transport

import "sync/atomic"

// Counters is a snapshot of a transport's event counts since its start.
type Counters struct {
	FramesIn, FramesOut uint64
	BytesIn, BytesOut   uint64 // of frames, with their length prefix

	Ups          uint64 // links opened, first and again
	DialFailures uint64 // attempts to open a link that failed
	Strangers    uint64 // connections and streams refused: not a neighbour's key
	Oversize     uint64 // frames announced above the limit; each resets its stream
	Malformed    uint64 // invalid lengths, and bytes where none are expected
	Truncated    uint64 // streams that ended within a frame
	ReadTimeouts uint64 // frames begun and not finished in time
	SendTimeouts uint64 // frames that could not be written in time
	Replaced     uint64 // inbound streams ended because the peer opened another
	Lost         uint64 // frames lost on purpose (memory transport with faults)
}

// tally holds the live counters. It is safe for concurrent use.
type tally struct {
	framesIn, framesOut, bytesIn, bytesOut                       atomic.Uint64
	ups, dialFailures, strangers, oversize, malformed, truncated atomic.Uint64
	readTimeouts, sendTimeouts, replaced, lost                   atomic.Uint64
}

func (c *tally) snapshot() Counters {
	return Counters{
		FramesIn: c.framesIn.Load(), FramesOut: c.framesOut.Load(), BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load(),
		Ups: c.ups.Load(), DialFailures: c.dialFailures.Load(), Strangers: c.strangers.Load(),
		Oversize: c.oversize.Load(), Malformed: c.malformed.Load(), Truncated: c.truncated.Load(),
		ReadTimeouts: c.readTimeouts.Load(), SendTimeouts: c.sendTimeouts.Load(), Replaced: c.replaced.Load(),
		Lost: c.lost.Load(),
	}
}

// in counts a received frame; out counts a sent frame.
func (c *tally) in(frame []byte) {
	c.framesIn.Add(1)
	c.bytesIn.Add(uint64(len(frame) + prefixSize(len(frame))))
}

func (c *tally) out(frame []byte) {
	c.framesOut.Add(1)
	c.bytesOut.Add(uint64(len(frame) + prefixSize(len(frame))))
}
