// Package price computes the privacy loss of every node to every other for a run on a graph. The run is a walk,
// averaging, learning gossip, or gossip with noise that cancels between neighbours. A question holds plain values. An
// answer holds the numbers of several accountants, each with its status, as JSON and as a table.
package price
