package gradientinversion

import (
	"slices"

	"github.com/hearsay-dp/hearsay/step"
)

// Seen holds the messages of a run that attackers saw.
type Seen struct {
	Dim   int
	Own   [][]float64 // their own values as sent, by turn, the attackers' one after the other
	Heard []float64   // the messages, Dim numbers for each of Knowledge.Rows
}

// Listen returns a function to call with all nodes' values as they are sent in every turn, one
// after the other. It records the values that attackers see in the Seen.
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

// Remove returns the part of the messages due to the others' contributions. It subtracts the
// effect of the public start and of the attackers' own values (002, Algorithm 4.3).
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

// begin returns the public initial parameters of a run.
func (k *Knowledge) begin(d int) []float64 {
	x := make([]float64, d)
	copy(x, k.protocol.Initial)
	return x
}
