// Package protocols answers what protocols without a graph of the user's tell: a token on a directed ring, a walk on the
// complete graph, ADMM, a shown value with Gamma noise; and it converts between kinds of privacy loss.
package protocols
