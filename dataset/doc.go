// Package dataset is the only package that reads training data. It turns a
// source (a CSV table, LIBSVM, IDX images, or a synthetic generator) into a
// Table, and a Table into a Federation: one shard of rows for every node and
// a test part that no node holds.
//
// Options decide the steps between the two, which are the same for
// every source: a stratified split, a partition of the training rows over the
// nodes, a scaling fitted on the rows that nodes hold and on nothing else,
// and optionally every row scaled to norm 1. The Notes of a Federation say
// which of these steps used a statistic of all data, because such a statistic is a
// release that no accountant of Hearsay counts.
//
// Randomness is keyed by the seed given to Generate and Federate. A node's
// synthetic rows depend on the seed and the node alone, not on the number of
// nodes.
//
// The subpackage fetch downloads files. Catalogue lists the
// public files that both packages know by their checksum.
package dataset
