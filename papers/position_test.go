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
