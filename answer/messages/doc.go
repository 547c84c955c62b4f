// Package messages answers whose values a coalition finds from the messages of averaging, for a run on a graph or for a
// planned run of a spec.
package messages
