package gradientinversion

import (
	"slices"
)

// A Coalition holds bounds on the smallest set of nodes that can do something.
type Coalition struct {
	Low     int   `json:"low"`     // no smaller set can
	High    int   `json:"high"`    // Members can
	Members []int `json:"members"` // ascending
}

// Smallest searches for the smallest set of candidates, the likeliest first, for which can holds. can must be monotone: a superset
// of a set that can also can. budget is the number of questions that may be asked. It asks the whole set, every node alone, all
// pairs, and all larger sets while those of one size are at most half of the questions left. Then it shrinks the first candidates
// that can, until the budget ends. It returns false if the whole set cannot.
func Smallest(candidates []int, can func(set []int) (bool, error), budget int) (c Coalition, possible bool, err error) {
	s := search{can: can, left: budget}
	if len(candidates) == 0 || !s.ask(candidates) {
		return c, false, s.err
	}
	c = Coalition{Low: 1, High: len(candidates), Members: sorted(candidates)}
	for size := 1; size < len(candidates) && (size <= 2 || 2*ways(len(candidates), size) <= float64(s.left)); size++ {
		found := s.among(candidates, nil, size)
		switch {
		case s.err != nil:
			return c, true, s.err
		case found != nil:
			return Coalition{size, size, sorted(found)}, true, nil
		case s.left <= 0:
			s.err = nil
			return s.shrink(c, candidates), true, s.err
		}
		c.Low = size + 1
	}
	if c.Low == len(candidates) {
		return c, true, nil
	}
	return s.shrink(c, candidates), true, s.err
}

// ways returns the number of sets of a size among n.
func ways(n, size int) float64 {
	count := 1.0
	for k := range size {
		count *= float64(n-k) / float64(k+1)
	}
	return count
}

func sorted(set []int) []int {
	own := slices.Clone(set)
	slices.Sort(own)
	return own
}

type search struct {
	can  func([]int) (bool, error)
	left int
	err  error
}

// ask returns false once there was an error.
func (s *search) ask(set []int) bool {
	if s.err != nil {
		return false
	}
	s.left--
	var yes bool
	yes, s.err = s.can(sorted(set))
	return yes && s.err == nil
}

// among asks all sets of size candidates together with others, the likeliest first, and returns the first that can.
func (s *search) among(candidates, with []int, size int) []int {
	for i, u := range candidates {
		if s.left <= 0 || s.err != nil {
			return nil
		}
		set := append(with[:len(with):len(with)], u)
		if size > 1 {
			if found := s.among(candidates[:i], set, size-1); found != nil {
				return found
			}
		} else if s.ask(set) {
			return set
		}
	}
	return nil
}

// few is the number of questions that may always be asked to shrink a coalition.
const few = 12

// shrink finds the fewest first candidates that can, by bisection, and leaves out the nodes that are not needed.
func (s *search) shrink(c Coalition, candidates []int) Coalition {
	s.left = max(s.left, few)
	low, high := c.Low, len(candidates)
	for low < high && s.left > 0 {
		if mid := (low + high) / 2; s.ask(candidates[:mid]) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	set := slices.Clone(candidates[:high])
	for i := len(set) - 1; i >= 0 && s.left > 0 && len(set) > c.Low; i-- {
		if less := slices.Delete(slices.Clone(set), i, i+1); s.ask(less) {
			set = less
		}
	}
	c.High, c.Members = len(set), sorted(set)
	return c
}
