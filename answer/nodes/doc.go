// Package nodes answers the questions of a participant in a real federation, about keys, terms, signatures, its node, its ledger,
// rehearsals and dossiers.
package nodes
