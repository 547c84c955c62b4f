package exposure

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/form"
)

func TestWithoutNeighbours(t *testing.T) {
	for want, got := range map[string]string{
		"where no neighbour of a node helps, of 12 nodes could be reconstructed: 12 by one other alone": withoutNeighbours(12, 12, 0, 0, 0),
		"where no neighbour of a node helps, of 9 nodes could be reconstructed: 2 by two together, 3 by a larger coalition, 4 by nobody, not even all together": withoutNeighbours(9,
			0, 2, 3, 4),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A multiplier that is enough is so as it is printed.
func TestNoiseThatIsEnoughIsRoundedUp(t *testing.T) {
	for x, want := range map[float64]string{4.2247: "4.23", 10.348307605958738: "10.4", 17.001: "17.1", 17: "17", 0.12345: "0.124", math.Inf(1): "∞", math.NaN(): "–"} {
		if got := form.Enough(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}
