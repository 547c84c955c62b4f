package step

import "math/rand/v2"

// Purpose separates the random streams of one node, turn and lane.
type Purpose uint8

// The purposes of streams.
const (
	Noise     Purpose = iota + 1 // privacy noise of a simulation
	Route                        // next holder of a token, edge that wakes
	Placement                    // starting node of a token
	Data                         // synthetic data, splits, partitions
	Topology                     // random graphs
	Network                      // delays and losses of the virtual network
	Audit                        // Monte Carlo paths of an accountant
	Reroute                      // substitute for a holder; the numbers after it are further attempts

	Response   Purpose = 192 // other random decisions of a node, such as a randomised answer
	Projection Purpose = 253 // the matrix by which rows are multiplied
	Absence    Purpose = 255 // holders that skip a turn
	Latency    Purpose = 254 // duration of a hop
)

// A Stream is a random generator that can be moved to the position (seed, node, turn, lane, purpose). Its
// numbers depend on the position only, so that a result does not depend on the order in which nodes run. It is
// for simulation and tests, because anyone who has the seed can predict it.
//
// The zero Stream is ready to be used with At. It must not be copied or used by several goroutines.
type Stream struct {
	pcg  pcg
	rand *rand.Rand

	seed, base uint64 // of the last position, and the value that seed and lane determine
	lane       Lane
}

// At moves the stream and returns its generator, valid until the next At. Each lane has a 64-bit seed of its
// own, derived from the given seed and the lane. Lane 0 has the given seed.
func (s *Stream) At(seed uint64, node NodeID, turn Turn, lane Lane, purpose Purpose) *rand.Rand {
	if s.rand == nil || seed != s.seed || lane != s.lane {
		s.begin(seed, lane)
	}
	where := s.base ^ mix(uint64(uint32(node))|uint64(purpose)<<32)
	s.pcg = pcg{mix(where + uint64(turn)*golden), mix(where ^ mix(uint64(turn)+0xd1b54a32d192ed03))}
	return s.rand
}

func (s *Stream) begin(seed uint64, lane Lane) {
	if s.rand == nil {
		s.rand = rand.New(&s.pcg)
	}
	s.seed, s.lane, s.base = seed, lane, mix(seed+mix(uint64(lane))+golden)
}

// AtPair moves the stream to the shared draws of two different nodes, in either order, and returns its
// generator as At does. Each second node has a seed of its own, derived from the given one, different from
// those of lanes.
func (s *Stream) AtPair(seed uint64, a, b NodeID, turn Turn, lane Lane, purpose Purpose) *rand.Rand {
	return s.At(mix(seed^mix(uint64(uint32(max(a, b)))+pairs)), min(a, b), turn, lane, purpose)
}

// pairs separates the seeds of pairs from those of single nodes.
const pairs = 0x5851f42d4c957f2d

// golden is 2^64 divided by the golden ratio, odd: the usual Weyl increment.
const golden = 0x9e3779b97f4a7c15

// mix computes the 64-bit finaliser of SplitMix (Steele, Lea and Flood 2014), a bijection in which every input
// bit affects every output bit. It maps 0 to 0.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
