package sparse

import "unsafe"

// dotRowsVector computes dotRows, four rows at a time, for at least one row of at least one number.
//
//go:noescape
func dotRowsVector(dst, rows *float64, count, width int, y *float64, plus float64)

// axpyRowsVector computes axpyRows for at least one row of at least one number, as many columns at a time as
// there are registers for.
//
//go:noescape
func axpyRowsVector(dst, a, rows *float64, count, width int)

// shortenVector computes shorten for n numbers, at least one.
//
//go:noescape
func shortenVector(a, norms *float64, n int, longest float64) bool

// prefetch fetches the cache lines of bytes bytes, at least one.
//
//go:noescape
func prefetch(x unsafe.Pointer, bytes int)
