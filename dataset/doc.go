// Package dataset is the only room that reads training data. It turns a
// source (a CSV table, LIBSVM, IDX images, or a synthetic generator) into a
// Table, and a Table into a Federation: one shard of rows for every node and
// a test part that no node holds.
//
// What happens between the two is decided by Options and is the same for
// every source: a stratified split, a partition of the training rows over the
// nodes, a scaling fitted on the rows that nodes hold and on nothing else,
// and optionally every row scaled to norm 1. The Notes of a Federation say
// which of these steps used a statistic of all data: such a statistic is a
// release that no accountant of Hearsay counts.
//
// Randomness is keyed by the seed given to Generate and Federate. A node's
// synthetic rows depend on the seed and the node alone, not on how many nodes
// there are.
//
// Downloading is the business of the subpackage fetch; Catalogue lists the
// public files both rooms know by their checksum.
package dataset
