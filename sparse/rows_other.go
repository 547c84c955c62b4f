//go:build !amd64

package sparse

import "unsafe"

func dotRowsVector(dst, rows *float64, count, width int, y *float64, plus float64) {
	panic("sparse: no vector kernel for this processor")
}

func axpyRowsVector(dst, a, rows *float64, count, width int) {
	panic("sparse: no vector kernel for this processor")
}

func shortenVector(a, norms *float64, n int, longest float64) bool {
	panic("sparse: no vector kernel for this processor")
}

func prefetch(unsafe.Pointer, int) {}
