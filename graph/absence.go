package graph

import "github.com/hearsay-dp/hearsay/internal/math"

// absenceWork bounds the multiplications that Absence spends.
const absenceWork = 1 << 27

// Absence returns a number of turns after which a walk has visited node v with
// probability above 1-p, wherever it starts. It needs 0 < p < 1. ok is false if
// that takes more than most turns, or more work than absenceWork.
//
// Let Q be the transition matrix without node v. The largest entry s_k of Q^k 1
// is the largest probability to avoid v for k turns, and s_(j+k) <= s_j s_k.
// Absence uses this bound where the work ends before s_k < p.
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
