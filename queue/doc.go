// Package queue hands the parts of some work to processes on many machines, by a work queue of NATS JetStream.
//
// A coordinator opens a Run, puts data in by content, and gives out Jobs; workers, processes of the same
// program, take one at a time and answer. A job is in the queue until somebody has answered it: one whose worker
// is gone is given to another, and one that was given out Attempts times without an answer is set aside. Answers may come
// twice, and are the same then. What the queue loses is given out again: complete is what the coordinator has accepted.
//
// Nothing that comes over the wire is trusted with more than its bytes: data are looked up by their SHA-256 and
// checked, sizes are bounded, and no path is taken from anybody.
package queue
