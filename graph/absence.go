package graph

import "github.com/hearsay-dp/hearsay/internal/math"

// absenceWork is how many multiplications are worth spending on an absence.
const absenceWork = 1 << 27

// Absence is a number of turns for all of which a walk stays away from node v
// with probability below p only, wherever it is when they begin; not ok where
// that takes more than most turns, or too long to find out. 0 < p < 1.
//
// With Q the transition matrix without v, the largest entry s_k of Q^k 1 is the
// largest probability to stay away for k turns, and s_(j+k) <= s_j s_k.
func (t *Transition) Absence(v int, p float64, most int) (turns int, ok bool) {
	w := t.Sparse()
	x, next := make([]float64, w.N), make([]float64, w.N)
	for u := range x {
		x[u] = 1
	}
	x[v] = 0
	s, k, work := 1.0, 0, 0
	for s >= p && k < most && work < absenceWork {
		s = 0
		for u := range next {
			if u == v {
				continue
			}
			columns, values := w.Row(u)
			next[u] = 0
			for i, to := range columns {
				next[u] += float64(values[i] * x[to])
			}
			s = max(s, next[u])
		}
		x, next = next, x
		work += len(w.Values)
		k++
	}
	if s < p {
		return k, true
	}
	if s >= 1 {
		return 0, false
	}
	times := math.Ceil(math.Log(p) / math.Log(s))
	return int(times) * k, times*float64(k) <= float64(most)
}
