// Package price answers what a run on a graph tells every node about every other: a walk, averaging, gossip that learns,
// and gossip whose noise cancels between neighbours. A question has plain values; an answer has the numbers of several
// accountants, each with its status, as JSON and as a table.
package price
