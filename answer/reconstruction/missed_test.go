package reconstruction

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/report"
)

// What was not looked for is said with what to do: more work only where that is allowed and helps.
func TestWhatWasNotLookedForIsSaid(t *testing.T) {
	some, short := []int{1, 2}, []int{3}
	for _, c := range []struct {
		work           float64 // of the attack, of 1 that it had
		nodes, short   []int
		says, saysNone string
	}{
		{30, some, nil, "Examples of 2 that do not follow step by step were not looked for in all messages at once: that takes --work 60 at least.", "memory"},
		{600, some, nil, "more than the largest --work, 1000; take fewer", "at least"},
		{math.Inf(1), some, nil, "that takes too much memory; take fewer", "--work"},
		{1, nil, short, "The search for the examples of 1 in all messages at once ended with its work done: --work 20 looks ten times as long.", "Examples of"},
		{30, some, short, "--work 20 looks ten times as long.", "memory"},
	} {
		r := &rehearsed{work: 2}
		answer := &Answer{Attacks: []Attack{
			{Unlooked: r.unlooked(&gradientinversion.Attack{Work: 1}, &gradientinversion.Unlooked{Nodes: c.nodes, Short: c.short, Work: c.work})},
		}}
		r.missed(answer)
		if all := strings.Join(answer.Notes, "\n"); !strings.Contains(all, c.says) || strings.Contains(all, c.saysNone) {
			t.Errorf("work %g: %s", c.work, all)
		}
	}
	r := &rehearsed{work: 1}
	answer := &Answer{Attacks: []Attack{{}, {Unlooked: &missedNodes{Nodes: some, Work: 4}}, {Unlooked: &missedNodes{Nodes: some, Work: report.Number(math.NaN())}}}}
	r.missed(answer)
	if len(answer.Notes) != 1 || !strings.Contains(answer.Notes[0], "Examples of 4") || !strings.Contains(answer.Notes[0], "by 2 of 3 attackers together: of some that takes --work 4 at least, of others too much memory") {
		t.Errorf("several: %q", answer.Notes)
	}
	if r.unlooked(nil, nil) != nil {
		t.Error("nobody is missed")
	}
}
