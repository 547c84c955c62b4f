// Package exposure holds the parts that the answers of all attacks share. It chooses the attackers. It finds the
// non-neighbours that could reconstruct a node, alone or together, and the edge or the noise that prevents it.
package exposure
