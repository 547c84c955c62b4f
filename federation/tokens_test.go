package federation

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// A federation of several tokens starts each where all compute that it does, is priced for
// all of them, and averages what everybody is shown.
func TestPlanOfSeveralTokens(t *testing.T) {
	if testing.Short() {
		t.Skip("prices plans one after the other: run without the race detector")
	}
	const two = "kind: walk, tokens: 2, skip: 0.1, steps: 25,"
	text := strings.Replace(terms, "kind: walk, steps: 50,", two, 1)
	s := ring(t, five, text)
	first := open(t, s, "lyon")
	one, other := plan(t, first), plan(t, open(t, ring(t, five, text), "paris"))
	starts := first.setup.Spec.Algorithm.Start.Each
	if len(starts) != 2 || starts[0].Uniform || starts[1].Uniform || one.Contributions != 20 || other.Federation != one.Federation {
		t.Errorf("starts %+v, %d contributions", starts, one.Contributions)
	}
	alone := plan(t, open(t, ring(t, five, terms), "lyon"))
	for i, towards := range one.Towards {
		if !(towards.Epsilon > 0 && towards.Epsilon < one.Local) || towards.Deviating != one.Local || towards.Epsilon > 2*alone.Towards[i].Epsilon {
			t.Errorf("%+v, if it deviates %g, one token %g", towards, one.Local, alone.Towards[i].Epsilon)
		}
	}
	for change, want := range map[string]string{
		"release: final=release: none":                                                "cannot average them",
		two + "=" + strings.Replace(two, "skip: 0.1", "combine: apart", 1):            "a participant ends with one model",
		two + "=" + strings.Replace(two, "skip: 0.1", "latency: {hop: 1}", 1):         "a real network takes the time",
		"contributions: 20=contributions: 1":                                          "leave nothing for some",
		two + "=" + strings.Replace(two, "skip: 0.1", "start: [lyon, nowhere]", 1):    "nowhere",
		two + "=" + strings.Replace(two, "skip: 0.1", "start: [lyon, lyon, nice]", 1): "3 nodes for algorithm.tokens: 2",
	} {
		from, to, _ := strings.Cut(change, "=")
		s, err := parseText(ringText(t, five, strings.Replace(text, from, to, 1)))
		if err == nil {
			_, err = Open(t.Context(), s, "lyon")
		}
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", change, err)
		}
	}
}
