// Package nodes reads the state of a participant for the dashboard. It queries the health
// endpoint, and compares the losses in the folder's ledger with the plan and the policy. A
// plan is computed once, in the background. A ledger is copied and the copy is verified, as
// hearsay ledger backup does, so the running node is not disturbed.
package nodes
