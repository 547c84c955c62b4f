package papers

import (
	"strings"
	"testing"
)

// Every figure and table of the papers that can be reproduced is found by its number and the paper's.
func TestEveryFigureIsFoundByItsNumber(t *testing.T) {
	for paper, list := range map[string]string{
		"000": "figure 1, figure 2, figure 3, figure 4, figure 5, figure 6, figure 8, table 1",
		"002": "figure 4.2, figure 4.3, figure 4.4, figure 4.5, figure 4.6, figure a.2, figure a.3, figure a.6, table 4.1, table a.1, figure 6.1, " +
			"figure 6.1a, figure 6.1b, figure 6.1c, figure c.1, figure c.2, figure c.3, figure c.4, figure c.5, table c.2, figure 7.1, figure 7.2, figure d.1",
		"004": "figure 1, figure 2, figure 2a, figure 2b, figure 3",
	} {
		for _, what := range strings.Split(list, ", ") {
			if _, err := Choose(paper + " " + what); err != nil {
				t.Errorf("%s %s: %v", paper, what, err)
			}
		}
	}
	for _, words := range []string{"000 figure 80", "muffliato figure 9", "table"} {
		if found, err := Choose(words); err == nil {
			t.Errorf("%q finds%s", words, listed(found))
		}
	}
}
