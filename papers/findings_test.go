package papers

import (
	"bytes"
	"strings"
	"testing"
)

// checkFindings holds what every study promises: full rows, charts that are
// drawn with the name of each line, checks that say what they measured.
func checkFindings(t *testing.T, f *Findings) {
	t.Helper()
	for _, table := range f.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Header) {
				t.Errorf("%s: row %v under %v", table.Name, row, table.Header)
			}
		}
	}
	for _, chart := range f.Charts {
		var b bytes.Buffer
		if err := chart.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		for _, panel := range chart.Panels {
			for _, line := range panel.Lines {
				if len(line.drawn(panel.Linear)) > 0 && !strings.Contains(b.String(), line.Name) {
					t.Errorf("%s does not show %q", chart.Name, line.Name)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := (Study{}).WriteText(&b, f); err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Checks {
		if c.Measured == "" || !strings.Contains(b.String(), c.Claim) {
			t.Errorf("check %+v", c)
		}
	}
}
