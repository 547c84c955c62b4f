// Package schedule describes the releases of a run before it runs and
// without any data: who sends to whom, how often, the noise, the
// sensitivity, and the guarantees of the updates.
//
// Accountants take nothing but a schedule. The protocol that is run makes it
// (algo/walk, algo/gossip), and machines emit its Releases: the contract tests of
// sim hold both to the same values. The guarantees of updates are a
// model.Update, which is sealed. A schedule whose updates a model states is priced as sound.
// If a caller merely describes the updates, it is priced as sound on condition that the description is true.
package schedule

// A Schedule describes the releases of a run: a Walk, a *Gossip or another value, such
// as that of an algorithm of one's own.
type Schedule interface {
	// Most returns the largest number of contributions one node can make.
	Most() int
}
