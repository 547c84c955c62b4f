package main

import (
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/nodes"
)

// The address of --dashboard can be given as a word of its own, before the spec or after.
func TestDashboardTakesAnAddress(t *testing.T) {
	for _, c := range []struct {
		listen string
		args   []string
		left   []string
		at     string
	}{
		{nodes.UsualDashboard, []string{"spec.yaml"}, []string{"spec.yaml"}, nodes.UsualDashboard},
		{nodes.UsualDashboard, []string{"127.0.0.1:9", "spec.yaml"}, []string{"spec.yaml"}, "127.0.0.1:9"},
		{nodes.UsualDashboard, []string{"spec.yaml", "[::1]:9"}, []string{"spec.yaml"}, "[::1]:9"},
		{"", []string{"spec.yaml", "127.0.0.1:9"}, []string{"spec.yaml", "127.0.0.1:9"}, ""},
		{nodes.UsualDashboard, []string{"spec.yaml", "other.yaml"}, []string{"spec.yaml", "other.yaml"}, nodes.UsualDashboard},
		{"127.0.0.1:7", []string{"spec.yaml"}, []string{"spec.yaml"}, "127.0.0.1:7"},
	} {
		f := nodes.DashboardQuestion{Listen: c.listen}
		for range 2 { // once for the check of the arguments, once to run
			if left := f.TakeAddress(c.args); !slices.Equal(left, c.left) || f.Listen != c.at {
				t.Errorf("%v at %q: %v at %q", c.args, c.listen, left, f.Listen)
			}
		}
	}
}
