package gradientinversion

import (
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// On graphs with more nodes than singular values are computed for, the examples found explain most of the messages. All weak
// directions at once drown in the changes of gradients, and would give examples that explain less than none.
func TestManyNodesAreExplained(t *testing.T) {
	testdata.Sequential(t)
	g, err := gen.Parse("geometric:n=300,r=0.12,seed=1,connected", 1)
	if err != nil {
		t.Fatal(err)
	}
	l := learnOn(t, g, 1)
	l.protocol.Rounds, l.protocol.StepSize.Base = 30, 1
	f := l.unravelled(t, 63, 0)
	if !(f.Unexplained < 0.5) {
		t.Errorf("%g of the messages is unexplained", f.Unexplained)
	}
}
