package papers

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// messages holds the messages of all nodes in a round of averaging, as
// combinations of the noisy values. Row by row they are the dense matrix
// W_{t-1}...W_0.
type messages struct {
	n          int
	rows, next []float64
}

// newMessages returns the messages of round 0: the noisy values themselves.
func newMessages(n int) *messages {
	m := &messages{n: n, rows: make([]float64, n*n), next: make([]float64, n*n)}
	for v := range n {
		m.rows[v*n+v] = 1
	}
	return m
}

// advance averages once with w.
func (m *messages) advance(w *sparse.Matrix) {
	w.MulBlock(m.next, m.rows, m.n)
	m.rows, m.next = m.next, m.rows
}

// charge adds to towards[v] the loss of node u by 002 equation 6.3, for the
// messages that v receives in the round in which w averages.
func (m *messages) charge(towards []float64, w *sparse.Matrix, u int) {
	share := make([]float64, m.n)
	for s := range m.n {
		row := m.rows[s*m.n : (s+1)*m.n]
		if row[u] != 0 {
			share[s] = row[u] * row[u] / sparse.Dot(row, row)
		}
	}
	for v := range m.n {
		heard, _ := w.Row(v)
		for _, s := range heard {
			if int(s) != v {
				towards[v] += share[s]
			}
		}
	}
}

// moments returns the mean and the standard deviation of x without entry u.
func moments(x []float64, u int) (mean, deviation float64) {
	square, k := 0.0, 0.0
	for v, value := range x {
		if v == u {
			continue
		}
		k++
		delta := value - mean
		mean += delta / k
		square += float64(delta * (value - mean))
	}
	return mean, math.Sqrt(square / max(1, k-1))
}

// variance returns the mean squared distance of x from its mean.
func variance(x []float64) float64 {
	_, deviation := moments(x, -1)
	return deviation * deviation * float64(len(x)-1) / float64(len(x))
}

// copied returns a copy of a borrowed matrix.
func copied(w *sparse.Matrix) *sparse.Matrix {
	return &sparse.Matrix{N: w.N, Offsets: slices.Clone(w.Offsets), Columns: slices.Clone(w.Columns), Values: slices.Clone(w.Values)}
}

// thinned returns every k-th point of a series and the last one, about 200
// points or fewer.
func thinned(name string, y []float64) Line {
	l := Line{Name: name}
	every := (len(y) + 199) / 200
	for i, value := range y {
		if i%every == 0 || i == len(y)-1 {
			l.X, l.Y = append(l.X, float64(i+1)), append(l.Y, value)
		}
	}
	return l
}
