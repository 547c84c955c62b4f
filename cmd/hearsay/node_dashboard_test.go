package main

import (
	"slices"
	"testing"
)

// The address of --dashboard can be given as a word of its own, before the spec or after.
func TestDashboardTakesAnAddress(t *testing.T) {
	for _, c := range []struct {
		listen string
		args   []string
		left   []string
		at     string
	}{
		{usualDashboard, []string{"spec.yaml"}, []string{"spec.yaml"}, usualDashboard},
		{usualDashboard, []string{"127.0.0.1:9", "spec.yaml"}, []string{"spec.yaml"}, "127.0.0.1:9"},
		{usualDashboard, []string{"spec.yaml", "[::1]:9"}, []string{"spec.yaml"}, "[::1]:9"},
		{"", []string{"spec.yaml", "127.0.0.1:9"}, []string{"spec.yaml", "127.0.0.1:9"}, ""},
		{usualDashboard, []string{"spec.yaml", "other.yaml"}, []string{"spec.yaml", "other.yaml"}, usualDashboard},
		{"127.0.0.1:7", []string{"spec.yaml"}, []string{"spec.yaml"}, "127.0.0.1:7"},
	} {
		f := dashboardFlags{listen: c.listen}
		for range 2 { // once for the check of the arguments, once to run
			if left := f.takeAddress(c.args); !slices.Equal(left, c.left) || f.listen != c.at {
				t.Errorf("%v at %q: %v at %q", c.args, c.listen, left, f.listen)
			}
		}
	}
}
