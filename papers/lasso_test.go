package papers

import "testing"

// The quick version of the LASSO experiment: every method without noise ends at the
// solution of an independent solver, and the published ordering comes out.
func TestLassoQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs")
	}
	f := quickFindings(t, lasso(), "")
	for _, table := range f.Tables {
		for _, row := range table.Rows {
			t.Log(row)
		}
	}
	for _, c := range f.Checks {
		t.Log(c)
	}
}
