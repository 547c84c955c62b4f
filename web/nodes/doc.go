// Package nodes says for the dashboard how a participant is: what its health endpoint says,
// and what the ledger in its folder says was spent, against its plan and its policy. A plan is
// worked out once and on the side; a ledger is copied and its copy verified, as hearsay ledger
// backup does, so that the node that uses it is left alone.
package nodes
