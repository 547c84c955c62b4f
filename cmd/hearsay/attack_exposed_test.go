package main

import "testing"

func TestWithoutNeighbours(t *testing.T) {
	for want, got := range map[string]string{
		"where no neighbour of a node helps, of 12 nodes could be reconstructed: 12 by one other alone": withoutNeighbours(12, 12, 0, 0, 0),
		"where no neighbour of a node helps, of 9 nodes could be reconstructed: 2 by two together, 3 by a larger coalition, 4 by nobody, not even all together": withoutNeighbours(9,
			0, 2, 3, 4),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
