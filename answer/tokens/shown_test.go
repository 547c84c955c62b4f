package tokens

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/exposure"
)

// The page of tokens begins with the node of which attackers learn most.
func TestTheWalkPageBeginsWithTheMostExposed(t *testing.T) {
	a := &Answer{Attacks: []Case{{Attackers: []int{0}}}}
	for u := range exposure.MostShown + 100 {
		one := &Target{Node: u + 1, energy: 1}
		if u == exposure.MostShown+7 {
			one.energy = 5
		}
		a.rows = append(a.rows, Row{Target: one})
	}
	var page strings.Builder
	if err := writeWalkPage(&page, a); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(page.String(), "who proves most about it")
	if _, first, ok := strings.Cut(table, "<tr><td>"); !ok || !strings.HasPrefix(first, "208</td>") {
		t.Errorf("the first row is %.40q", first)
	}
	if !strings.Contains(page.String(), "The 200 of 300 nodes are shown of which attackers learn most") {
		t.Error("the page does not say that it shows some")
	}
}
