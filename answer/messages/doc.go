// Package messages answers what a coalition makes of the messages of averaging: whose values it finds, of a run on a graph or
// of one that a spec plans.
package messages
