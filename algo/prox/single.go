package prox

import "github.com/hearsay-dp/hearsay/internal/math"

// single solves for one row. Its margin z at the proximal point solves z = (margin of w) - c
// norm^2 times the slope at z; the left side rises with z and the right side falls. For
// slopes that are piecewise linear, one Newton step from the right piece ends it.
func (s *Solver) single(w []float64, tolerance float64) Answer {
	q := &s.rows
	a := Answer{Slopes: q.slope}
	if q.slope[0] = 0; q.norm[0] == 0 {
		return a
	}
	begin, pull := q.dot(0, w), float64(q.c*q.norm[0])*q.norm[0]
	steepest, _ := q.bendOf(0, begin) // no nearer slope is further from 0
	far := float64(pull*steepest) * (1 + 0x1p-40)
	low, high := begin-math.Max(0, far), begin-math.Min(0, far)
	z := begin
	for ; ; a.Steps++ {
		slope, bend := q.bendOf(0, z)
		off := z - begin + float64(pull*slope)
		q.slope[0], a.Off = slope, math.Abs(off)/q.norm[0]
		floor := float64(unit * (math.Abs(begin) + math.Abs(z) + float64(pull*(math.Abs(slope)+float64(bend*math.Abs(z))))))
		if a.Off <= max(tolerance, floor/q.norm[0]) || a.Steps == mostSteps || !(a.Off <= math.MaxFloat64) {
			return a
		}
		if off > 0 {
			high = math.Min(high, z)
		} else {
			low = math.Max(low, z)
		}
		next := z - off/(1+float64(pull*bend))
		if !(next > low && next < high) || a.Steps >= 8 && a.Steps%2 == 0 {
			next = low + float64((high-low)/2)
		}
		z = next
	}
}
