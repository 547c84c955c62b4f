package price

import (
	"cmp"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Colluders are looked up, and refused where nothing prices them.
func TestColludersOfAWalk(t *testing.T) {
	g, err := gen.Parse("ring:6", 1)
	if err != nil {
		t.Fatal(err)
	}
	f := WalkQuestion{Between: Between{Leaks: "0", Learns: "2", Pool: []string{"3", "4"}}, Tokens: 1, Accountant: "path"}
	if err := cmp.Or(f.find(g), f.checkColluders()); err != nil || len(f.colluders) != 2 || f.colluders[1] != 4 {
		t.Errorf("colluders %v, %v", f.colluders, err)
	}
	for _, change := range []func(f *WalkQuestion){
		func(f *WalkQuestion) { f.Accountant = "all" }, func(f *WalkQuestion) { f.Leaks, f.Learns = "", "" }, func(f *WalkQuestion) { f.Paths = 10 },
		func(f *WalkQuestion) { f.EdgeCap = 2 }, func(f *WalkQuestion) { f.Pool = []string{"Lugano"} },
	} {
		other := f
		change(&other)
		if err := cmp.Or(other.find(g), other.checkColluders()); err == nil || !strings.Contains(err.Error(), "colluders") {
			t.Errorf("%+v: %v", other, err)
		}
	}
}
