// Package rehearse simulates a federation before anyone joins. It uses the spec with the
// algorithm, schedule and noise that its nodes will use. The rows are made up in the shape
// that the spec declares, or are given. It reports for each participant the gain of
// joining over its own rows alone, the cost, and which policies would refuse.
//
// The package computes no privacy losses of its own. It takes them from the plans of the
// participants.
package rehearse
