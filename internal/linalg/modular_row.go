package linalg

// Row returns the row whose first entry that is not 0 stands in the column,
// borrowed, or nil if there is none. That entry is 1; after Units the row is 0
// in the columns where other rows begin.
func (e *Echelon) Row(column int) []uint64 {
	if k := e.at[column]; k >= 0 {
		return e.rows[k]
	}
	return nil
}
