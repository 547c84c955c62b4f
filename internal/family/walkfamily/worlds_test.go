package walkfamily_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/sparse"
)

// opened is the walk of a spec.
func opened(t *testing.T, text string) *walkfamily.Algorithm {
	t.Helper()
	s, err := experiment.Parse([]byte(text), "audited.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := experiment.Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Algorithm.(*walkfamily.Algorithm)
}

// The two worlds are neighbours: they differ in one node's rows, as many as it
// has, within the bound of the data, and its clipped gradients are opposite.
func TestWorldsAreTheFarthestNeighbours(t *testing.T) {
	for name, text := range map[string]string{
		"logistic":  fmt.Sprintf(testdata.Audited, "ring:4", 10, 3, "uniform", 1.0, 1e-3, "none"),
		"unbounded": strings.Replace(fmt.Sprintf(testdata.Audited, "ring:4", 10, 3, "uniform", 1.0, 1e-3, "none"), ", normalise: unit", "", 1),
	} {
		s := opened(t, strings.Replace(text, "metric:", "accountant: local, metric:", 1))
		worlds, err := s.Worlds(2)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range worlds {
			own := w.Examples(2)
			if own.Len() != s.Holdings.Examples.Examples(2).Len() || !reflect.DeepEqual(w.Examples(1), s.Holdings.Examples.Examples(1)) {
				t.Errorf("%s: world %d is no neighbour", name, i)
			}
			x, y := own.Row(own.Len() - 1)
			if norm := math.Sqrt(sparse.Dot(x, x)); norm > s.Federation.Bound*(1+1e-12) || y != float64(1-2*i) {
				t.Errorf("%s: world %d has a row of norm %g with label %g", name, i, norm, y)
			}
			gradient := make([]float64, s.Protocol.Params)
			s.Objective.Gradient(gradient, make([]float64, len(gradient)), x, y)
			along := -sparse.Dot(gradient, w.Direction()) * y
			if along < s.Protocol.Noise.Clip || math.Abs(along*along-sparse.Dot(gradient, gradient)) > 1e-9 {
				t.Errorf("%s: world %d pulls by %g of %g", name, i, along, s.Protocol.Noise.Clip)
			}
		}
	}
}
