package assembly

import (
	"bytes"
	"strings"
	"testing"
)

// Who is invited under a name that looks like another's is pointed out, before anybody signs.
func TestNamesThatLookAlikeAreSaid(t *testing.T) {
	for _, c := range []struct {
		names []string
		said  bool
	}{{[]string{"lyon", "1yon", "paris"}, true}, {hospitals, false}} {
		g, err := Invite(bytes.NewReader(make([]byte, 32)), keyOf(t, "lyon"), "lyon", c.names, []byte(someTerms), true)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := g.Status(nil, nil).Print(&b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "warning: Names look alike, and may be meant to: “lyon” and “1yon”") != c.said {
			t.Errorf("%q: %s", c.names, &b)
		}
	}
}
