package path

// SymmetricClass is the class of pairs on a family of graphs whose nodes are
// all alike (graph.Symmetry), for transition matrices that depend on degrees
// only.
func SymmetricClass(family string, sides []int) (PairClass, bool) {
	switch family {
	case "complete":
		return CompleteClass, true
	case "hypercube":
		return HypercubeClass, true
	case "ring":
		return RingClass(sides[0]), true
	case "torus":
		return TorusClass(sides[0], sides[1]), true
	}
	return nil, false
}
