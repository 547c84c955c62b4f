package dataset

// owners are the nodes whose rows rows kept for testing are like, -1 where that is not known: of a natural group that
// one node holds alone, which then holds no other. nil where that is known of none.
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
