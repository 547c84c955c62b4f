// Package nodes answers what a participant of a real federation asks: keys, terms, signatures, its node, its ledger, rehearsals
// and dossiers.
package nodes
