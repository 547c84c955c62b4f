package dossier

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/federation"
)

// The dossier of a run says whose steps may have come late, and that the last ones count as such until the run has ended.
func TestADossierSaysWhatCameLate(t *testing.T) {
	for _, c := range []struct {
		late  int
		ended bool
		want  string
	}{{1, true, "1 of at most 2"}, {2, false, "until the run has ended"}, {0, true, ""}} {
		var d Dossier
		d.state(&federation.Statement{Plan: &federation.Plan{MostLate: 2}, Late: c.late}, &federation.Facts{Ended: c.ended})
		text := ""
		for _, f := range d.Outcome {
			if strings.Contains(f.What, "late") {
				text = f.Value
			}
		}
		if (text == "") != (c.late == 0) || !strings.Contains(text, c.want) || strings.Contains(text, "until") == c.ended {
			t.Errorf("%d late, ended %t: %q", c.late, c.ended, text)
		}
	}
}
