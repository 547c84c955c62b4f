// Package exposure answers what all attacks ask: who attacks, who could reconstruct a node, alone or together, without its
// neighbours, and which edge or noise stops it.
package exposure
