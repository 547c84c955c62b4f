// Package schedule says what a run is going to release, before it runs and
// without any data: who sends to whom, how often, how much noise against how
// much sensitivity, and what its updates guarantee.
//
// A schedule is the only thing that accountants take. The protocol that is run
// makes it (algo/walk, algo/gossip), and its Releases are what machines emit:
// sim's contract holds both to the same value. What updates guarantee is a
// model.Update, which is sealed: a schedule of a model's own is priced as sound,
// one whose updates somebody merely describes as sound if they are like that.
package schedule

// A Schedule is what a run is going to release: a Walk, a *Gossip or, of an
// algorithm of one's own, another value that says so.
type Schedule interface {
	// Most is the largest number of contributions one node can make.
	Most() int
}
