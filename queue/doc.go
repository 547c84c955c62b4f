// Package queue distributes the parts of a computation to processes on many machines through a NATS JetStream work
// queue.
//
// A coordinator opens a Run, stores data by content and gives out Jobs. Workers are processes of the same program. Each
// takes one job at a time and answers it. A job stays in the queue until it is answered. If its worker disappears,
// another worker gets it. After Attempts deliveries without an answer it is set aside. Answers may arrive twice, and
// are then equal. Jobs that the queue loses are given out again, because only the coordinator decides which answers are
// accepted.
//
// Data from the wire are not trusted. They are looked up by SHA-256 and checked, their sizes are bounded, and no path
// is taken from them.
package queue
