package main

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
)

// Of more nodes than a page shows it shows those of which most was found, whatever their numbers, and says so; of fewer all in order.
func TestPagesShowWhatWasFound(t *testing.T) {
	var k gradientAttack
	for u := range mostShown + 100 {
		k.Targets = append(k.Targets, targetNode{Node: u, Distance: 9, Error: 3, PSNR: -1, GuessPSNR: 5})
	}
	found, near := &k.Targets[mostShown+7], &k.Targets[mostShown+50]
	found.Error, found.PSNR = 1e-9, 180
	near.Distance, near.Error = 1, report.Number(math.NaN())
	all := shownOf(k)
	if len(all) != mostShown || all[0].Node != found.Node || all[1].Node != near.Node || all[2].Node != 0 {
		t.Errorf("%d are shown, nodes %d, %d, %d first", len(all), all[0].Node, all[1].Node, all[2].Node)
	}
	if few := shownOf(gradientAttack{Targets: k.Targets[150:300]}); len(few) != 150 || few[0].Node != 150 {
		t.Errorf("of few nodes %d are shown, node %d first", len(few), few[0].Node)
	}
}

// The page of tokens begins with the node of which attackers learn most.
func TestTheWalkPageBeginsWithTheMostExposed(t *testing.T) {
	a := &tokenAnswer{Attacks: []walkCase{{Attackers: []int{0}}}}
	for u := range mostShown + 100 {
		one := &walkTarget{Node: u + 1, energy: 1}
		if u == mostShown+7 {
			one.energy = 5
		}
		a.rows = append(a.rows, walkRow{walkTarget: one})
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
