package walkpath

// A staircase is an excursion in progress: the distance by which one node's contributions have moved the
// token, by each turn since the observer last held it. It keeps the corners of the greatest convex minorant
// so far, over a clock.
type staircase struct {
	corners []corner // lower hull of (clock before a turn, moved before it)
	moved   float64  // sum of the sizes of contributions
	since   float64  // clock after the observer's last turn
}

type corner struct{ clock, moved float64 }

// contribute records a contribution of a size in the turn that begins at clock, which must be later than
// all before. The size is 1 where step sizes are constant.
func (s *staircase) contribute(clock, size float64) {
	s.push(corner{clock, s.moved})
	s.moved += size
}

// push appends a corner and removes those that it lifts above the hull.
func (s *staircase) push(c corner) {
	k := len(s.corners)
	for k >= 2 && !convex(s.corners[k-2], s.corners[k-1], c) {
		k--
	}
	s.corners = append(s.corners[:k], c)
}

// convex reports whether the slope grows at b.
func convex(a, b, c corner) bool {
	return float64((b.moved-a.moved)*(c.clock-b.clock)) < float64((c.moved-b.moved)*(b.clock-a.clock))
}

// close ends the excursion: the observer receives the token at clock, and its own turn is over at next.
// close returns the energy, which is the integral of the squared slope of the greatest convex minorant.
// This is the least sum of a_j^2/g_j^2 with
//
//	a_1 + .. + a_j <= sizes of contributions up to turn j,    equal at the end,
//
// where g_j is the step size of turn j, whose noise is g_j sigma, and the clock is the sum of g_j^2. The
// energy is at most the number of contributions if each has size g_j, and 0 without any.
func (s *staircase) close(clock, next float64) float64 {
	s.since = next
	if s.moved == 0 {
		return 0
	}
	s.push(corner{clock, s.moved})
	energy := 0.0
	for i, c := range s.corners[1:] {
		rise := c.moved - s.corners[i].moved
		energy += rise * rise / (c.clock - s.corners[i].clock)
	}
	s.corners, s.moved = s.corners[:0], 0
	return energy
}

// closeEven ends the excursion too. It returns the energy if the contributions are spread over the turns as
// the noise is, which is m^2/l for constant step sizes. That is never more than close returns, and is
// exactly what linear losses leak to an observer who knows the path.
func (s *staircase) closeEven(clock, next float64) float64 {
	energy := 0.0
	if s.moved > 0 {
		energy = s.moved * s.moved / (clock - s.since)
	}
	s.corners, s.moved, s.since = s.corners[:0], 0, next
	return energy
}

// ExcursionEnergy returns the energy V of one excursion. contributions lists, in increasing order, the
// turns in which the node contributed. received is the turn in which the observer gets the token, later
// than all of them. Every turn in between adds noise. Given the path, the observer learns from this receipt
// no more than from a Gaussian of shift sqrt(V)/sigma (privacy amplification by iteration with optimal
// shifts; Bok, Su and Altschuler 2024).
func ExcursionEnergy(contributions []int, received int) float64 {
	var s staircase
	last := -1
	for k, turn := range contributions {
		if k > 0 && turn <= last || turn >= received {
			panic("privacy/walkpath: contributions of an excursion are not in order")
		}
		s.contribute(float64(turn), 1)
		last = turn
	}
	return s.close(float64(received), float64(received+1))
}
