package papers

import (
	"context"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// 002's Tables 4.1 and A.1 come out to 0.1 on graphs drawn anew and on its ego graph.
func TestPositionsOfAttackersAndTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped under -short")
	}
	data := testdata.Shared(t, "data")
	testdata.Shared(t, "data/facebook/414.edges")
	for _, target := range []bool{false, true} {
		f, err := positions{60, []string{"414"}, 300, target}.run(context.Background(), data, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		checkFindings(t, f)
		for _, c := range f.Checks {
			if c.Basis == AsPublished && !c.Holds {
				t.Errorf("%s: %s", c.Claim, c.Measured)
			}
		}
	}
}

// 002 Figures A.2 and A.3: who is reconstructed after more and more rounds, and by whom.
func TestWhoIsReconstructedAndWhen(t *testing.T) {
	f, err := geometricSpread().quick(context.Background(), "", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	if failed := (Study{}).Failed(f); failed != nil {
		t.Error(failed)
	}
	data := testdata.Shared(t, "data")
	testdata.Shared(t, "data/facebook/414.edges")
	if f, err = spreadOnEgos(context.Background(), data, []string{"698", "414"}, 6, func(string) {}); err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f)
	if failed := (Study{}).Failed(f); failed != nil {
		t.Error(failed)
	}
}

// 002 Figure 4.5, one attacker: the images of all Florentine families, as published and refined.
func TestImagesOnTheFlorentineGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped under -short")
	}
	testdata.Shared(t, "data/cifar10/cifar10_train_first4000.bin")
	data := testdata.Shared(t, "data")
	for _, published := range []bool{true, false} {
		all, err := gallery{graph: "florentine", steps: 8, rate: 1e-5, attackers: []int{middle}}.show(context.Background(), data, 1, published)
		if err != nil {
			t.Fatal(err)
		}
		if share := recognised(all); share < 0.9 || len(all) != 14 {
			t.Errorf("as published %v: %g of %d images are recognised", published, share, len(all))
		}
	}
}
