package path

// CompleteLaws are laws of pairs of a walk that goes to all nodes alike, such that every
// pair is like one of them: that of two nodes; where all know where the token starts, that
// about this node, that towards it and that of two others.
func (w Walk) CompleteLaws() (all []*Law, err error) {
	s := max(0, w.Start)
	x, y := (s+1)%w.Nodes, (s+2)%w.Nodes
	pairs := [][2]int{{s, x}, {x, s}, {x, y}}
	if w.Start < 0 {
		pairs = pairs[:1]
	}
	for _, pair := range pairs {
		law, err := w.Law(pair[0], pair[1])
		if err != nil {
			return nil, err
		}
		all = append(all, law)
	}
	return all, nil
}
