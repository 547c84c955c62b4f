package pairwise

// A view is the network that remains for an observer: the honest nodes and the edges between them, in units in
// which own noise is 1.
type view struct {
	honest      []bool
	offsets     []int32
	columns     []int32
	conductance float64 // (pair/own)^2
}

// viewOf returns the view of a coalition. Members have no edges.
func (p *Problem) viewOf(coalition []int) *view {
	n, ratio := p.Pairs.N, p.Pair/p.Own
	v := &view{honest: make([]bool, n), offsets: make([]int32, n+1), conductance: ratio * ratio}
	for u := range v.honest {
		v.honest[u] = true
	}
	for _, f := range coalition {
		v.honest[f] = false
	}
	for u := range n {
		columns, _ := p.Pairs.Row(u)
		for _, w := range columns {
			if int(w) != u && v.honest[u] && v.honest[w] && v.conductance > 0 {
				v.columns = append(v.columns, w)
			}
		}
		v.offsets[u+1] = int32(len(v.columns))
	}
	return v
}

func (v *view) neighbours(u int32) []int32 { return v.columns[v.offsets[u]:v.offsets[u+1]] }

// part returns the honest nodes that shared noise connects with u, u first. It marks them in seen.
func (v *view) part(u int32, seen []bool) []int32 {
	seen[u] = true
	part := []int32{u}
	for i := 0; i < len(part); i++ {
		for _, w := range v.neighbours(part[i]) {
			if !seen[w] {
				seen[w] = true
				part = append(part, w)
			}
		}
	}
	return part
}

// parts returns the connected parts of the honest nodes, ordered by their lowest node.
func (v *view) parts() (parts [][]int32) {
	seen := make([]bool, len(v.honest))
	for u := range seen {
		if v.honest[u] && !seen[u] {
			parts = append(parts, v.part(int32(u), seen))
		}
	}
	return parts
}
