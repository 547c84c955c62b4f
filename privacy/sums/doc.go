// Package sums accounts for private sums and histograms. They go by a token on
// a ring (002, chapter 5), by a random walk on the complete graph (002, Theorem
// 7.1), or by shuffling. Walks are priced before they happen and for an actual
// path.
package sums
