package walklikelihood

// Believe returns the row of a sight as far as attackers know its path. If they know the whole path, or only one path begins
// and ends as they know, it is the row of that path. Otherwise the row holds the expected contributions of every node.
// spread is the variance of the added sum due to the path, with turns drawn independently, which is a little less than the
// true one.
//
// Believe ignores caps: every visit counts as a contribution.
func (h *Hidden) Believe(b *Board, s Sight) (row Row, spread float64) {
	known := b.Row(s)
	if h.Certain(b.track, s) {
		return known, 0
	}
	m := h.markOf(b.track, s)
	forth, back := h.forward(m), h.backward(m)
	counts, squares := make([]float64, h.Walk.Nodes), make([]float64, h.Walk.Nodes)
	turns := b.track[s.Begin:s.End]
	w := b.weights[:len(turns)]
	weigh(w, turns)
	for j := range turns {
		mass := 0.0
		for x := range forth[j] {
			mass += float64(forth[j][x] * back[j][x])
		}
		for x := range forth[j] {
			p := float64(forth[j][x] * back[j][x] / mass * (1 - h.Walk.Skip))
			if p == 0 {
				continue
			}
			counts[x] += float64(w[j] * p)
			squares[x] += float64(w[j] * w[j] * p * (1 - p))
		}
	}
	row = Row{Sight: s, Variance: known.Variance, Carried: known.Carried}
	for x, c := range counts {
		if c > 0 {
			row.Nodes, row.Coefficients = append(row.Nodes, x), append(row.Coefficients, c)
		}
		spread += squares[x]
	}
	return row, spread
}

// mostCertain is the longest sight that is checked for a single possible path.
const mostCertain = 8

// Certain reports whether attackers know the path of a sight: they know all paths, or only one path begins and ends as they
// know.
func (h *Hidden) Certain(track []Turn, s Sight) bool {
	switch {
	case h.Knows == Route:
		return true
	case s.Len() > mostCertain || h.Walk.Skip > 0:
		return false
	}
	m := h.markOf(track, s)
	paths := reached(h.begun(m))
	for range m.turns - 1 {
		next := make([]int, h.Walk.Nodes)
		for x, count := range paths {
			if count > 0 {
				h.row(x, func(y int, p float64) {
					if p > 0 && !h.attacks[y] {
						next[y] = min(2, next[y]+count)
					}
				})
			}
		}
		paths = next
	}
	all := 0
	for x, count := range paths {
		if count > 0 && (m.to == Nobody || m.last == x || m.last == Nobody && h.chance(x, m.to) > 0) {
			all += count
		}
	}
	return all == 1
}

// reached returns one path to every node of positive probability.
func reached(law []float64) []int {
	paths := make([]int, len(law))
	for x, p := range law {
		if p > 0 {
			paths[x] = 1
		}
	}
	return paths
}

// forward returns the laws of the holder of each turn of a sight jointly with its beginning, scaled to sum 1.
func (h *Hidden) forward(m mark) [][]float64 {
	all := [][]float64{h.begun(m)}
	for len(all) < m.turns {
		next := make([]float64, h.Walk.Nodes)
		h.hop(next, all[len(all)-1])
		h.leave(next)
		all = append(all, scaled(next))
	}
	return all
}

// backward returns, up to a factor, the probabilities of the end of a sight given each holder of each of its turns.
func (h *Hidden) backward(m mark) [][]float64 {
	n := h.Walk.Nodes
	all, end := make([][]float64, m.turns), make([]float64, n)
	for x := range end {
		switch {
		case m.to == Nobody:
			end[x] = 1
		case m.last != Nobody && x != m.last:
		default:
			end[x] = h.chance(x, m.to)
		}
	}
	h.leave(end)
	all[m.turns-1] = scaled(end)
	for j := m.turns - 2; j >= 0; j-- {
		x := make([]float64, n)
		if h.Walk.W == nil {
			each := total(all[j+1]) / float64(n)
			for i := range x {
				x[i] = each
			}
		} else {
			for i := range x {
				x[i] = h.mean(i, all[j+1])
			}
		}
		h.leave(x)
		all[j] = scaled(x)
	}
	return all
}

// mean returns the mean of numbers of nodes over the next holder after node i.
func (h *Hidden) mean(i int, of []float64) (sum float64) {
	columns, values := h.Walk.W.Row(i)
	for k, y := range columns {
		sum += float64(values[k] * of[y])
	}
	return sum
}

// scaled divides x by its sum, in place.
func scaled(x []float64) []float64 {
	sum := total(x)
	for i := range x {
		x[i] /= sum
	}
	return x
}
