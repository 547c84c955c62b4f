package dataset

// owners returns, for every test row, the node whose rows it is like. That is known for a natural group that
// one node holds alone, if the node holds no other group. Else it is -1. owners returns nil if no row's node is known.
func (t *Table) owners(owned assignment, test []int32) []int32 {
	if t.Groups == nil {
		return nil
	}
	const nobody, several = -1, -2
	holder := make([]int32, len(t.GroupNames))
	for g := range holder {
		holder[g] = nobody
	}
	for v := range len(owned.offsets) - 1 {
		rows := owned.order[owned.offsets[v]:owned.offsets[v+1]]
		mixed := false
		for _, i := range rows {
			mixed = mixed || t.Groups[i] != t.Groups[rows[0]]
		}
		for _, i := range rows {
			switch g := t.Groups[i]; {
			case mixed || holder[g] != nobody && holder[g] != int32(v):
				holder[g] = several
			default:
				holder[g] = int32(v)
			}
		}
	}
	owners, known := make([]int32, len(test)), false
	for k, i := range test {
		owners[k] = max(nobody, holder[t.Groups[i]])
		known = known || owners[k] >= 0
	}
	if !known {
		return nil
	}
	return owners
}
