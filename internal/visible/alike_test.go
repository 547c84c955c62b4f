package visible

import (
	"strings"
	"testing"
)

func TestNamesThatLookAlike(t *testing.T) {
	for _, pair := range [][2]string{
		{"lyon", "Iyon"}, {"lyon", "1yon"}, {"lyon", "ly0n"}, {"paris", "раris"}, {"modem", "modern"}, {"st-anne", "st_anne"}, {"ﬁn", "fin"},
		{"lyon", "ly\u200bon"}, {"nice", "niсe"}, {"ΑΒΕ", "abe"},
	} {
		if got := Alike([]string{"brest", pair[0], pair[1]}); len(got) != 1 || got[0] != pair {
			t.Errorf("%q: %q", pair, got)
		}
	}
	if got := Alike([]string{"lyon", "nice", "paris", "brest", "lyon", "node 1", "node 2", "p0", "p1", "p2"}); got != nil {
		t.Errorf("%q look alike", got)
	}
	if note := AlikeNote([]string{"a", "b"}); note != "" || !strings.Contains(AlikeNote([]string{"lyon", "1yon"}), "“lyon” and “1yon”") {
		t.Errorf("%q", note)
	}
}
