package report

import (
	"strings"
	"testing"
)

// TestNobodyWhoGainsIsNoShare says in words that nobody gains, and how many do.
func TestNobodyWhoGainsIsNoShare(t *testing.T) {
	b := &Baselines{Measure: "accuracy", Rising: true, Joined: 0.9, Alone: &Alone{Mean: 0.95}}
	if got := onAll(b); !strings.HasSuffix(got, "alone do better on average, and none of them gains.") {
		t.Error(got)
	}
	b.Alone.Gain = 0.25
	if got := onAll(b); !strings.HasSuffix(got, "and only 25.0 % of them gain.") {
		t.Error(got)
	}
}
