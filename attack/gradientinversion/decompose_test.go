package gradientinversion

import (
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
)

// With constant gradients, and more directions than singular values are computed for, every node is singled out and found, by a node
// with many neighbours and by one with fewer.
func TestManyDirectionsComeOut(t *testing.T) {
	for _, c := range []struct {
		graph string
		rank  int // of the attacker, by degree
	}{{"er:n=260,p=0.1,seed=3,connected", 0}, {"er:n=260,p=0.1,seed=3,connected", 100}, {"ba:n=300,m=5,seed=1", 0}} {
		g, err := gen.Parse(c.graph, 1)
		if err != nil {
			t.Fatal(err)
		}
		l := learn(t, g, model.Logistic{Intercept: true}, []float64{-1, 1}, 30, 1, 1e-12, 0)
		f := l.attacked(t, byDegree(g)[c.rank])
		resolved := 0
		for _, is := range f.Resolved {
			if is {
				resolved++
			}
		}
		if all, exact := g.Len()-1, len(l.exact(f)); resolved != all || exact != all || !(f.Residual < 1e-13) {
			t.Errorf("%s, attacker %d: %d of %d are resolved, %d exact, residual %g", c.graph, c.rank, resolved, all, exact, f.Residual)
		}
	}
}
