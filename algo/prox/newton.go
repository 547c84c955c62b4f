package prox

import "github.com/hearsay-dp/hearsay/internal/math"

// newton sets to to the direction of Newton's method with the derivatives of the slopes here,
//
//	(I + c X'DX) to = -r,
//
// over the rows whose slopes change at all. With fewer rows than parameters it solves for
// the rows instead (Woodbury).
func (s *Solver) newton() {
	q := &s.rows
	s.active = s.active[:0]
	for i, bend := range q.bent {
		if bend > 0 {
			s.active = append(s.active, i)
		}
	}
	for j, r := range s.r {
		s.to[j] = -r
	}
	switch k := len(s.active); {
	case k == 0:
	case k <= s.params:
		s.byRows(k)
	default:
		s.byParams()
	}
}

// byRows replaces to by to - X'B (I/c + B X X' B)^-1 B X to, B^2 = D, over the k active rows.
func (s *Solver) byRows(k int) {
	q := &s.rows
	s.system, s.columns = grown(s.system, k*k), grown(s.columns, k)
	for a, i := range s.active {
		root := math.Sqrt(float64(q.c * q.bent[i]))
		clear(s.full)
		q.add(s.full, root, i)
		for b, j := range s.active[:a+1] {
			s.system[a*k+b] = float64(q.dot(j, s.full) * math.Sqrt(float64(q.c*q.bent[j])))
		}
		s.system[a*k+a]++
		s.columns[a] = float64(root * q.dot(i, s.to))
	}
	solve(s.system, s.columns, k)
	for a, i := range s.active {
		q.add(s.to, -float64(math.Sqrt(float64(q.c*q.bent[i]))*s.columns[a]), i)
	}
}

// byParams solves for the parameters.
func (s *Solver) byParams() {
	s.normal()
	solve(s.system, s.to, s.params)
}

// normal sets the lower half of system to that of I + c X'DX.
func (s *Solver) normal() {
	q, d := &s.rows, s.params
	s.system = grown(s.system, d*d)
	clear(s.system)
	for j := range d {
		s.system[j*d+j] = 1
	}
	for _, i := range s.active {
		x, _ := q.ex.Row(i)
		weight := float64(q.c * q.bent[i])
		for a, v := range x {
			addScaled(s.system[a*d:a*d+a+1], float64(weight*v), x)
		}
		if q.tail {
			last := s.system[(d-1)*d:]
			addScaled(last[:d-1], weight, x)
			last[d-1] += weight
		}
	}
}

// addScaled adds a times the beginning of x to dst.
func addScaled(dst []float64, a float64, x []float64) {
	for j := range dst {
		dst[j] += float64(a * x[j])
	}
}

func grown(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// solve replaces b by A^-1 b, A symmetric, positive definite, n x n, its lower half
// given, which is overwritten by Cholesky's factor.
func solve(a, b []float64, n int) {
	cholesky(a, n)
	substitute(a, b, n)
}

// cholesky overwrites the lower half of a with its factor.
func cholesky(a []float64, n int) {
	for i := range n {
		row := a[i*n : i*n+i+1]
		for j := range row {
			other := a[j*n : j*n+j+1]
			sum := row[j]
			for k := range j {
				sum -= float64(row[k] * other[k])
			}
			if i == j {
				row[j] = math.Sqrt(sum)
			} else {
				row[j] = sum / other[j]
			}
		}
	}
}

// substitute replaces b by the solution, given the factor a.
func substitute(a, b []float64, n int) {
	for i := range n {
		for k := range i {
			b[i] -= float64(a[i*n+k] * b[k])
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] /= a[i*n+i]
		for k := range i {
			b[k] -= float64(a[i*n+k] * b[i])
		}
	}
}
