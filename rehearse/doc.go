// Package rehearse simulates a federation before anybody joins: the very spec, with the
// algorithm, schedule and noise that its nodes are going to have, on rows that are made up
// in the shape that the spec declares, or on rows that are given. It says what joining
// gives each participant beside its own rows alone, what it costs, and who would refuse.
//
// Nothing here prices privacy: losses are those of the participants' plans.
package rehearse
