// Package budget keeps the book of the losses that one participant's rows suffered in all runs under its key. The book lies
// beside the key and has a line for every federation and data set. A line is charged in full when the federation is signed. The
// part that the run did not use is given back after the run has ended.
//
// Lines hold losses in a form that composes (Loss): the squared shift of a Gaussian view, Renyi divergences, and the failure
// probability of both. Epsilons are computed from their sum.
//
// The book is a ledger (node/ledger) whose entries have no releases. The state of each entry holds all lines. So the book is on
// disk before anything is signed or sent, chained, verified when it is opened, and copied as ledgers are. Each run's ledger
// records where the book ended when the run began. So a book that was lost or restored from an old copy is noticed.
package budget
