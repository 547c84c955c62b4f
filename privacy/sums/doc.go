// Package sums accounts for private sums and histograms: by a token on a ring
// (002, chapter 5), by a random walk on the complete graph (002, Theorem 7.1),
// before the walk and for an actual path, and by shuffling.
package sums
