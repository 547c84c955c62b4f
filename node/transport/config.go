package transport

import (
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/step"

	ma "github.com/multiformats/go-multiaddr"
)

// Config holds the settings of one node's libp2p transport. Listen and addresses are multiaddresses such as
// /ip4/0.0.0.0/udp/4100/quic-v1, /ip4/192.0.2.7/tcp/4100 or /dns4/lyon.example/tcp/4100.
type Config struct {
	Self       step.NodeID
	Key        identity.Key
	Listen     []ma.Multiaddr // may be empty: this node dials only
	Neighbours []Neighbour
	MaxFrame   int // bytes, 1..2^31-1

	// The fields below have the stated default if they are zero.
	Queue        int           // capacity for waiting events; neighbours wait beyond it: 16
	ReadTimeout  time.Duration // for a frame, once begun: 30 s
	WriteTimeout time.Duration // for a frame that is not accepted, at least half of it, at most all: 30 s
	DialTimeout  time.Duration // for an attempt to open a link: 15 s
	BackoffMin   time.Duration // pause after the first failed attempt, doubled by each: 100 ms
	BackoffMax   time.Duration // longest pause: 15 s
	Memory       int64         // bytes libp2p may reserve for windows, see MemoryBound: 16 MiB and 4 MiB a neighbour

	// Relays (with their /p2p/ id) make this node reachable behind a NAT. They see who communicates with whom and
	// how much, but no contents. Empty means that no relay is used.
	Relays []ma.Multiaddr
	// HolePunch replaces relayed links by direct ones where the NATs allow it. A neighbour learns the address at
	// which the relay sees this node. HolePunch needs Relays.
	HolePunch bool

	carried int // largest number of relayed links of one peer
}

// Neighbour is a node that shares an edge with this node.
type Neighbour struct {
	ID    step.NodeID
	Peer  identity.Peer
	Addrs []ma.Multiaddr // may be empty: that node dials this one
}

// withDefaults sets the fields that are zero.
func (c Config) withDefaults() Config {
	set(&c.Queue, 16)
	set(&c.ReadTimeout, 30*time.Second)
	set(&c.WriteTimeout, 30*time.Second)
	set(&c.DialTimeout, 15*time.Second)
	set(&c.BackoffMin, 100*time.Millisecond)
	set(&c.BackoffMax, 15*time.Second)
	set(&c.Memory, 16<<20+int64(len(c.Neighbours))*(4<<20))
	return c
}

func set[T int | int64 | time.Duration](value *T, ifZero T) {
	if *value == 0 {
		*value = ifZero
	}
}

// MemoryBound returns the largest number of bytes that the transport holds for frames and windows, whatever its
// peers do. It counts the queue, a frame being read from each neighbour, a few released ones, and twice libp2p's
// reserve. The reserve counts once for all peers, and once for connections from neighbours' addresses that find no
// room there. The state of connections and handshakes comes on top; their number is limited too.
func (c Config) MemoryBound() int64 {
	c = c.withDefaults()
	return int64(c.Queue+len(c.Neighbours)+maxSpares)*int64(c.MaxFrame) + int64(len(c.Neighbours))*perLink + 2*c.Memory
}

// perLink is the memory of a link's own buffers, in bytes.
const perLink = 16 << 10

// check refuses a configuration with values out of range.
func (c *Config) check() error {
	if c.MaxFrame < 1 || c.MaxFrame > 1<<31-1 {
		return fault.New(fmt.Sprintf("largest frame is set to %d bytes", c.MaxFrame), "it must be between 1 and 2147483647")
	}
	if c.HolePunch && len(c.Relays) == 0 {
		return fault.New("hole punching is asked for without a relay", "name at least one relay, or turn it off")
	}
	ids, peers := map[step.NodeID]bool{c.Self: true}, map[identity.Peer]bool{c.Key.Peer(): true}
	for _, n := range c.Neighbours {
		if ids[n.ID] || peers[n.Peer] {
			return fault.New(fmt.Sprintf("neighbour %d (%s) is listed twice, or is this node itself", n.ID, n.Peer), "each participant needs its own id and its own key")
		}
		ids[n.ID], peers[n.Peer] = true, true
	}
	return nil
}
