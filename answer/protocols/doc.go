// Package protocols prices protocols without a graph of the user: a token on a directed ring, a walk on the complete
// graph, ADMM, and a shown value with Gamma noise. It also converts between kinds of privacy loss.
package protocols
