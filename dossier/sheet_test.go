package dossier

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/report"
)

// The first sheet says that a participant has left and who forgets nothing, what the run begins with, and that no loss covers a model
// of a run that has not ended.
func TestTheFirstSheetSaysHowARunBeginsAndEnds(t *testing.T) {
	d := &Dossier{Shown: true, Claim: Claim{Status: report.Sound, Model: true, Delta: 1e-6, Assumptions: []string{report.BeginsWith + " (spec abc)"}}, Parties: []Party{{Who: thePublic, If: everyoneFollows, Epsilon: 1}}}
	sheet := func() string {
		var all strings.Builder
		for _, fact := range d.Decisive() {
			all.WriteString(fact.What + ": " + fact.Value + "\n")
		}
		return all.String()
	}
	const begins, unfinished, left = "it begins with: The run begins with numbers", "the run has not ended: of a model of an earlier turn only the loss", "it has left: from turn 5 on"
	if text := sheet(); !strings.Contains(text, begins) || strings.Contains(text, unfinished) || strings.Contains(text, left) {
		t.Error(text)
	}
	if answers := strings.Join(d.Answers(), "\n"); !strings.Contains(answers, "leave out the model of an earlier run") {
		t.Error(answers)
	}
	d.Facts = &federation.Attested{Facts: federation.Facts{Left: &federation.Left{Turn: 5, Says: "It forgets nothing."}}}
	if text := sheet(); !strings.Contains(text, unfinished) || !strings.Contains(text, left) || !strings.Contains(text, "It forgets nothing.") {
		t.Error(text)
	}
	if d.spent(&federation.Statement{}); d.Parties[0].Spent != 0 {
		t.Errorf("the public has learnt %v of a run that has not ended", d.Parties[0].Spent)
	}
	if d.Facts.Ended = true; strings.Contains(sheet(), unfinished) {
		t.Error(sheet())
	}
}
