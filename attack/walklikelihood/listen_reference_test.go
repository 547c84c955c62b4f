package walklikelihood

import (
	"github.com/hearsay-dp/hearsay/sparse"
)

// Along are receipts along a line, from the origin in the direction of a unit vector.
func Along(receipts []Receipt, line []float64) []float64 {
	added := make([]float64, len(receipts))
	for i, r := range receipts {
		added[i] = sparse.Dot(r.Added, line)
	}
	return added
}
