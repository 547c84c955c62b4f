// Package admm accounts for private consensus ADMM (002, chapter 8): centralised,
// federated and decentralised as published, beside the losses that hold.
package admm
