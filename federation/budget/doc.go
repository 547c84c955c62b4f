// Package budget is the book of what one participant's rows have lost in all runs that its key took part in: beside the key,
// a line for every federation and data set. A line is charged in full when the federation is signed, and what its run did not
// use is given back once that has ended.
//
// Lines hold losses as they compose (Loss): the squared shift of a Gaussian view, moments, and what both fail with. Epsilons
// are worked out of their sum.
//
// The book is a ledger (node/ledger) whose entries have no releases: each has all lines as its state. So it is on disk before
// anything is signed or sent, chained, verified when it is opened, and copied as ledgers are. Each run's ledger notes where the
// book ended when the run began, so that a book that was lost or brought back from an old copy is noticed.
package budget
