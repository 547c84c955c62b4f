package family

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
)

func TestRowsOfProximalStepsAreAsLongAsIsCertified(t *testing.T) {
	for x, refused := range map[float64]bool{0: false, 1e4: false, 1.1e4: true, 1e99: true} {
		h := &Holdings{Train: model.Examples{Features: 2, X: []float64{1, 1, x, 0}, Y: []float64{1, -1}}}
		err := h.CheckProximal()
		if (err != nil) != refused {
			t.Errorf("a row of norm %g: %v", x, err)
		}
		if refused && !strings.Contains(err.Error(), "certified for rows up to 10000") {
			t.Errorf("a row of norm %g: %v", x, err)
		}
	}
}
