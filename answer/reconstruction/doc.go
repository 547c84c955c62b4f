// Package reconstruction answers how much a coalition learns from learning gossip: the nodes whose gradients it finds, and
// the examples behind these gradients.
package reconstruction
