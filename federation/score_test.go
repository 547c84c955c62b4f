package federation

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
)

// What a node says of its model names the patients that are found, and what always answering the other class would reach.
func TestAScoreSaysWhoIsFound(t *testing.T) {
	accuracy := report.Number(0.96)
	s := &Score{Rows: 100, Loss: 0.2, Accuracy: &accuracy, Classes: []Recall{{"no", 96, 1}, {"yes", 4, 0}}}
	for _, want := range []string{"96.0 % are right", "Of 4 rows of class “yes” the model finds 0.", "Always answering “no” would be right on 96.0 %."} {
		if !strings.Contains(s.words(), want) {
			t.Errorf("%q has no %q", s.words(), want)
		}
	}
}
