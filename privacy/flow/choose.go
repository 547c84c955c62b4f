package flow

// If there are too many pairs to solve closely, the pairs that lose most at each distance
// represent them.

// mostChosen is the largest number of pairs that are solved closely if not all are.
const mostChosen = 32

// Attackable returns the number of pairs that can be attacked with about multiplications
// multiplications, at least 2 and at most mostChosen.
func (a *Accountant) Attackable(multiplications float64) int {
	return max(2, min(mostChosen, int(multiplications/a.AuditCostOf(1))))
}

// WorstByDistance returns, for each distance from 1 on, the pair (u, v) with the largest
// energy, the first of several. hops returns the distances from u to all nodes, negative
// without a path. They must stay valid until the next call.
func WorstByDistance(n int, hops func(u int) []int32, energy func(u, v int) float64) [][2]int {
	var worst [][2]int
	for u := range n {
		for v, far := range hops(u) {
			if far > 0 {
				worst = keepWorst(worst, int(far), u, v, energy)
			}
		}
	}
	return found(worst)
}

// WorstOfSide returns WorstByDistance for the pairs of a side, given the distances from its
// node.
func WorstOfSide(s *Side, hops []int32) [][2]int {
	var worst [][2]int
	energy := func(u, v int) float64 {
		if s.Towards {
			return s.Values[u]
		}
		return s.Values[v]
	}
	for j, far := range hops {
		u, v := s.Node, j
		if s.Towards {
			u, v = j, s.Node
		}
		if far > 0 {
			worst = keepWorst(worst, int(far), u, v, energy)
		}
	}
	return found(worst)
}

func keepWorst(worst [][2]int, far, u, v int, energy func(u, v int) float64) [][2]int {
	for len(worst) < far {
		worst = append(worst, [2]int{-1, -1})
	}
	if at := &worst[far-1]; at[0] < 0 || energy(u, v) > energy(at[0], at[1]) {
		*at = [2]int{u, v}
	}
	return worst
}

// found returns the pairs that exist.
func found(worst [][2]int) (some [][2]int) {
	for _, pair := range worst {
		if pair[0] >= 0 {
			some = append(some, pair)
		}
	}
	return some
}

// Spread returns at most most pairs of a list: its first (most+1)/2, and the others
// evenly from the rest.
func Spread(list [][2]int, most int) [][2]int {
	if len(list) <= most {
		return list
	}
	first := (most + 1) / 2
	some, rest := append([][2]int(nil), list[:first]...), list[first:]
	for k := range most - first {
		some = append(some, rest[(k+1)*len(rest)/(most-first)-1])
	}
	return some
}
