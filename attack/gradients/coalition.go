package gradients

import (
	"slices"
)

// A Coalition is what is known of the smallest set of nodes that can do something.
type Coalition struct {
	Low     int   `json:"low"`     // no smaller one can
	High    int   `json:"high"`    // Members can
	Members []int `json:"members"` // ascending
}

// Smallest looks for the smallest set of candidates, the likeliest first, for which can holds; what a set can, larger
// ones can. It asks all together, every one alone, all pairs, and then leaves out of the first so many that can, as long
// as budget, the questions that may be asked, lasts. It reports false if all together cannot.
func Smallest(candidates []int, can func(set []int) (bool, error), budget int) (c Coalition, possible bool, err error) {
	s := search{can: can, left: budget}
	if len(candidates) == 0 || !s.ask(candidates) {
		return c, false, s.err
	}
	c = Coalition{Low: 1, High: len(candidates), Members: sorted(candidates)}
	for size := 1; size <= 2 && size < len(candidates); size++ {
		found := s.among(candidates, size)
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
	return s.shrink(c, candidates), true, s.err
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

// ask is false once there was an error.
func (s *search) ask(set []int) bool {
	if s.err != nil {
		return false
	}
	s.left--
	var yes bool
	yes, s.err = s.can(sorted(set))
	return yes && s.err == nil
}

// among looks at all sets of one or two.
func (s *search) among(candidates []int, size int) []int {
	for i, u := range candidates {
		if size == 1 {
			if s.left <= 0 {
				return nil
			}
			if s.ask([]int{u}) {
				return []int{u}
			}
			continue
		}
		for _, v := range candidates[:i] {
			if s.left <= 0 {
				return nil
			}
			if s.ask([]int{v, u}) {
				return []int{v, u}
			}
		}
	}
	return nil
}

// few is how many questions are always asked to make a coalition smaller.
const few = 12

// shrink takes the first so many that can, by bisection, and leaves out of them whoever is not needed.
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
