package gradientinversion

import (
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
)

// Who saw nothing says the mean and the commonest label, of equals the least, so that an attack is measured against it.
func TestGuess(t *testing.T) {
	g := Guess(model.Examples{X: []float64{1, 0, 3, 2, -1, 4}, Y: []float64{1, -1, 1}, Features: 2})
	if !slices.Equal(g.X, []float64{1, 2}) || g.Label != 1 {
		t.Errorf("the guess is %v with label %g", g.X, g.Label)
	}
	if g := Guess(model.Examples{X: []float64{1, 3}, Y: []float64{1, -1}, Features: 1}); g.Label != -1 {
		t.Errorf("of two labels as common the guess is %g", g.Label)
	}
	if g := Guess(model.Examples{Features: 2}); !slices.Equal(g.X, []float64{0, 0}) {
		t.Errorf("of nothing the guess is %v", g.X)
	}
}
