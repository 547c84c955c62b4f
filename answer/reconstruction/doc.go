// Package reconstruction answers what a coalition makes of gossip that learns: whose gradients it finds, and which examples
// are behind them.
package reconstruction
