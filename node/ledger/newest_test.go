package ledger

import (
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/step"
)

// What a ledger says it has received is what it was told, in whatever order turns came, also once it was opened again and
// after entries that were refused.
func TestHasIsWhatWasReceived(t *testing.T) {
	path := filepath.Join(folder(t), "heard.ledger")
	l, err := Create(path, owner)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { l.Close() }()
	all := map[Key]bool{}
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 6).Draw(t, "entries") {
			k := Key{
				Epoch: rapid.Uint64Range(0, 1).Draw(t, "epoch"), Peer: step.NodeID(rapid.IntRange(0, 1).Draw(t, "peer")), Kind: 1,
				Lane: step.Lane(rapid.IntRange(0, 1).Draw(t, "lane")), Turn: step.Turn(rapid.IntRange(0, 40).Draw(t, "turn")),
			}
			if known, err := l.Has(k); err != nil || known != all[k] {
				t.Fatalf("has %+v: %v, %v, and was told %v", k, known, err, all[k])
			}
			if err := l.Commit(Entry{Received: []Receipt{{Key: k}}}); (err == nil) == all[k] {
				t.Fatalf("%+v, known: %v, is taken with %v", k, all[k], err)
			}
			all[k] = true
		}
		if rapid.IntRange(0, 9).Draw(t, "opened again") == 0 {
			l.Close()
			if l, err = Open(path); err != nil {
				t.Fatal(err)
			}
		}
	})
}
