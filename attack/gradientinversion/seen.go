package gradientinversion

import (
	"slices"

	"github.com/hearsay-dp/hearsay/step"
)

// Seen is what attackers saw of a run.
type Seen struct {
	Dim   int
	Own   [][]float64 // their own values as sent, turn by turn, the attackers' one after the other
	Heard []float64   // the messages, Dim numbers for each of Knowledge.Rows
}

// Listen is shown all nodes' values as they are sent in every turn, one after the other, and
// keeps what attackers get to see of them.
func (k *Knowledge) Listen(dim int) (*Seen, func(t step.Turn, x []float64)) {
	s, row := &Seen{Dim: dim}, 0
	value := func(x []float64, v int) []float64 { return x[v*dim : (v+1)*dim] }
	return s, func(t step.Turn, x []float64) {
		if t >= k.protocol.Turns() {
			return // after the last turn nothing is sent
		}
		var own []float64
		for _, a := range k.attackers {
			own = append(own, value(x, a)...)
		}
		s.Own = append(s.Own, own)
		for ; row < len(k.rows) && k.rows[row].Turn == t; row++ {
			s.Heard = append(s.Heard, value(x, k.rows[row].Node)...)
		}
	}
}

// Remove is what the messages hold of the others' contributions: less what the public start and
// the attackers' own values brought about (002, Algorithm 4.3).
func (k *Knowledge) Remove(s *Seen) []float64 {
	rest, row, d := slices.Clone(s.Heard), 0, s.Dim
	x := make([]float64, 0, k.Len()*d)
	for range k.Len() {
		x = append(x, k.begin(d)...)
	}
	k.carry(cargo{cols: d, x: x,
		pin: func(t step.Turn, a int, row []float64) { copy(row, s.Own[t][a*d:(a+1)*d]) },
		see: func(t step.Turn, x []float64) {
			for ; row < len(k.rows) && k.rows[row].Turn == t; row++ {
				v := k.rows[row].Node
				for j := range d {
					rest[row*d+j] -= x[v*d+j]
				}
			}
		},
	})
	return rest
}

// begin are the public parameters that a run begins with.
func (k *Knowledge) begin(d int) []float64 {
	x := make([]float64, d)
	copy(x, k.protocol.Initial)
	return x
}
