// Package pair answers questions about one pair of nodes: how much one could tell about the other, in words, by an attack and for
// the dashboard.
package pair
