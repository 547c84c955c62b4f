package flow

// stops returns, by round and node, where the whole difference must be
// absorbed. That is where the coalition sees it. It is also where the
// difference could reach, without noise in between, a seen message that has no
// noise.
func (a *Accountant) stops(coalition []int) [][]bool {
	stops, fixed := make([][]bool, a.p.Rounds), len(a.p.Weights) == 1 && len(a.p.Hears) <= 1
	for t := range stops {
		if t > 0 && fixed && !(a.p.Final && t == a.p.Rounds-1) {
			stops[t] = stops[0]
			continue
		}
		stops[t] = a.p.seen(t, coalition)
	}
	if a.noiseless() {
		a.holdBack(stops)
	}
	return stops
}

// noiseless reports whether some node adds no noise in some round.
func (a *Accountant) noiseless() bool {
	for t := range a.noise {
		for j := range a.n {
			if a.noise[t].at(j) == 0 {
				return true
			}
			if a.noise[t].each == nil {
				break
			}
		}
	}
	return false
}

// holdBack extends stops to the nodes that feed a stop without noise.
func (a *Accountant) holdBack(stops [][]bool) {
	for t := range stops {
		stops[t] = append([]bool(nil), stops[t]...)
	}
	for t := a.p.Rounds - 1; t > 0; t-- {
		w := a.p.weights(t - 1)
		for i, stop := range stops[t] {
			if !stop || a.noise[t].at(i) > 0 || a.spread[t].at(i) == 0 {
				continue
			}
			columns, values := w.Row(i)
			for k, j := range columns {
				if values[k] > 0 {
					stops[t-1][j] = true
				}
			}
		}
	}
}
