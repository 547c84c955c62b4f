package nodes

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/node"
)

// The status in words says what a node waits for besides single neighbours.
func TestStatusSaysWhatIsWaitedFor(t *testing.T) {
	const keys = "the keys of the run of brest, which neighbours pass on"
	for waits, want := range map[string]bool{keys: true, "": false} {
		var text strings.Builder
		if err := (nodeStatus{node.Status{Name: "lyon", State: node.Running, Waits: waits}}).Print(&text); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "waiting for "+keys+"\n") != want {
			t.Errorf("%q: %s", waits, text.String())
		}
	}
}
