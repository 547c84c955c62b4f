package sparse

import "unsafe"

// dotRowsVector is dotRows, four rows at a time, of at least one row of at least one number.
//
//go:noescape
func dotRowsVector(dst, rows *float64, count, width int, y *float64, plus float64)

// axpyRowsVector is axpyRows of at least one row of at least one number, as many columns at a time as
// there are registers for.
//
//go:noescape
func axpyRowsVector(dst, a, rows *float64, count, width int)

// shortenVector is shorten of n numbers, at least one.
//
//go:noescape
func shortenVector(a, norms *float64, n int, longest float64) bool

// prefetch fetches the cache lines of so many bytes, at least one.
//
//go:noescape
func prefetch(x unsafe.Pointer, bytes int)
