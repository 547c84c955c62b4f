package main

import (
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
	f := walkFlags{u: 0, v: 2, tokens: 1, accountant: "path", pool: []string{"3", "4"}}
	if err := f.findColluders(g); err != nil || len(f.colluders) != 2 || f.colluders[1] != 4 {
		t.Errorf("colluders %v, %v", f.colluders, err)
	}
	for _, change := range []func(f *walkFlags){
		func(f *walkFlags) { f.accountant = "all" }, func(f *walkFlags) { f.u, f.v = -1, -1 }, func(f *walkFlags) { f.paths = 10 },
		func(f *walkFlags) { f.edgeCap = 2 }, func(f *walkFlags) { f.pool = []string{"Lugano"} },
	} {
		other := f
		change(&other)
		if err := other.findColluders(g); err == nil || !strings.Contains(err.Error(), "colluders") {
			t.Errorf("%+v: %v", other, err)
		}
	}
}
