package reconstruction

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/report"
)

// Of more nodes than a page shows it shows those of which most was found, whatever their numbers, and says so; of fewer all in order.
func TestPagesShowWhatWasFound(t *testing.T) {
	var k Attack
	for u := range exposure.MostShown + 100 {
		k.Targets = append(k.Targets, Target{Node: u, Distance: 9, Error: 3, PSNR: -1, GuessPSNR: 5})
	}
	found, near := &k.Targets[exposure.MostShown+7], &k.Targets[exposure.MostShown+50]
	found.Error, found.PSNR = 1e-9, 180
	near.Distance, near.Error = 1, report.Number(math.NaN())
	all := shownOf(k)
	if len(all) != exposure.MostShown || all[0].Node != found.Node || all[1].Node != near.Node || all[2].Node != 0 {
		t.Errorf("%d are shown, nodes %d, %d, %d first", len(all), all[0].Node, all[1].Node, all[2].Node)
	}
	if few := shownOf(Attack{Targets: k.Targets[150:300]}); len(few) != 150 || few[0].Node != 150 {
		t.Errorf("of few nodes %d are shown, node %d first", len(few), few[0].Node)
	}
}
