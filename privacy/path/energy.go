package path

// A staircase is an excursion under way: how many contributions one node has
// made by each turn since the observer last held the token. It keeps the
// corners of the greatest convex minorant of what it has seen.
type staircase struct {
	corners []corner // lower hull of (turn, contributions before it)
	made    int      // contributions
	since   int      // first turn after the observer's last
}

type corner struct{ turn, made int }

// contribute records a contribution in the given turn, later than all before.
func (s *staircase) contribute(turn int) {
	s.push(corner{turn, s.made})
	s.made++
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
	return (b.made-a.made)*(c.turn-b.turn) < (c.made-b.made)*(b.turn-a.turn)
}

// close ends the excursion in the turn in which the token is received, and
// returns its energy: the integral of the squared slope of the greatest convex
// minorant, which is the least sum of a_j^2 with
//
//	a_1 + .. + a_j <= contributions made up to turn j,    equal at the end.
//
// It is at most the number of contributions, and 0 without any.
func (s *staircase) close(turn int) float64 {
	s.since = turn + 1
	if s.made == 0 {
		return 0
	}
	s.push(corner{turn, s.made})
	energy := 0.0
	for i, c := range s.corners[1:] {
		rise := float64(c.made - s.corners[i].made)
		energy += rise * rise / float64(c.turn-s.corners[i].turn)
	}
	s.corners, s.made = s.corners[:0], 0
	return energy
}

// closeEven ends the excursion too, and returns the energy of spreading its
// contributions evenly over all its turns, m^2/l: never more than close, and
// what linear losses really leak to an observer who knows the path.
func (s *staircase) closeEven(turn int) float64 {
	energy := 0.0
	if s.made > 0 {
		energy = float64(s.made) * float64(s.made) / float64(turn-s.since)
	}
	s.corners, s.made, s.since = s.corners[:0], 0, turn+1
	return energy
}

// ExcursionEnergy is the energy V of one excursion: contributions lists, in
// increasing order, the turns in which the node contributed, and received is
// the turn in which the observer gets the token, later than all of them. Every
// turn in between adds noise. Given the path, what the observer learns from
// this receipt is no more than a Gaussian of shift sqrt(V)/sigma (privacy
// amplification by iteration with optimal shifts; Bok, Su and Altschuler 2024).
func ExcursionEnergy(contributions []int, received int) float64 {
	var s staircase
	last := -1
	for k, turn := range contributions {
		if k > 0 && turn <= last || turn >= received {
			panic("privacy/path: contributions of an excursion are not in order")
		}
		s.contribute(turn)
		last = turn
	}
	return s.close(received)
}
