package step

import "math/rand/v2"

// Purpose separates the random streams of one node, turn and lane.
type Purpose uint8

// The purposes a stream can be drawn for.
const (
	Noise     Purpose = iota + 1 // privacy noise of a simulation
	Route                        // where a token goes next, which edge wakes
	Placement                    // where a token starts
	Data                         // synthetic data, splits, partitions
	Topology                     // random graphs
	Network                      // delays and losses of the virtual network
	Audit                        // Monte Carlo paths of an accountant
	Reroute                      // where a token goes instead; what follows are further attempts

	Response   Purpose = 192 // what else a node decides by chance, such as a randomised answer
	Projection Purpose = 253 // the matrix that rows are multiplied by
	Absence    Purpose = 255 // who skips a turn
	Latency    Purpose = 254 // how long a hop takes
)

// A Stream is a random generator that can be moved to the position (seed,
// node, turn, lane, purpose). What it yields there depends on nothing else, so a
// result does not depend on the order in which nodes happen to run. It is for
// simulation and tests: its output can be predicted by whoever knows the seed.
//
// The zero Stream is ready to be used with At. It must not be copied or
// shared between goroutines.
type Stream struct {
	pcg  pcg
	rand *rand.Rand

	seed, base uint64 // of the last position, and what follows from it and the lane
	lane       Lane
}

// At moves the stream and returns its generator, valid until the next At. Each
// lane has a seed of its own, 64 bits that follow from the lane away from the
// given one, which is that of lane 0.
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

// AtPair moves the stream to what two different nodes draw together, the same whichever
// of them is named first, and returns its generator as At does. Each second node has a
// seed of its own that follows from the given one, unlike those of lanes.
func (s *Stream) AtPair(seed uint64, a, b NodeID, turn Turn, lane Lane, purpose Purpose) *rand.Rand {
	return s.At(mix(seed^mix(uint64(uint32(max(a, b)))+pairs)), min(a, b), turn, lane, purpose)
}

// pairs keeps the seeds of pairs apart from that of single nodes.
const pairs = 0x5851f42d4c957f2d

// golden is 2^64 divided by the golden ratio, odd: the usual Weyl increment.
const golden = 0x9e3779b97f4a7c15

// mix is the 64-bit finaliser of SplitMix (Steele, Lea and Flood 2014), a
// bijection in which every input bit moves every output bit. It keeps 0.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
