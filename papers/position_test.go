package papers

import (
	"context"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

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
		if share := share(all, recognised); share < 0.9 || len(all) != 14 {
			t.Errorf("as published %v: %g of %d images are recognised", published, share, len(all))
		}
	}
}
