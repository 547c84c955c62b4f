package admmfamily

import (
	"testing"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
)

// Where noise is on a grid others hide a contribution by whole steps, and that is charged.
func TestMeansPayForTheGrid(t *testing.T) {
	a := &Algorithm{Holdings: family.Holdings{Ground: family.Ground{Spec: &spec.Spec{}}}, Protocol: &admm.Protocol{Nodes: 10, Rounds: 20}}
	if got := a.OnGrid(2, 1e-6); got != 2 {
		t.Errorf("what is public costs %g on a grid", got)
	}
	a.Spec.Privacy.Accountant = means
	if got := a.OnGrid(2, 1e-6); !(got > 2+1e-5 && got < 2.01) {
		t.Errorf("what means show costs %g on a grid", got)
	}
}
