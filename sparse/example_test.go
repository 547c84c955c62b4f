package sparse_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A matrix times two vectors at once: they lie row by row.
func ExampleMatrix_MulBlock() {
	m := sparse.FromDense(2, []float64{
		0.5, 0.5,
		0, 1,
	})
	x := []float64{
		1, 10,
		3, 30,
	}
	y := make([]float64, 4)
	m.MulBlock(y, x, 2)
	fmt.Println(len(m.Values), "entries:", y)
	// Output:
	// 3 entries: [2 20 3 30]
}
