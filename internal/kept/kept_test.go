package kept

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/schedule"
)

// A kept law is used for its own pair, key and program only, and not once a bit
// of it has changed.
func TestLawsComeBackAsTheyWereKept(t *testing.T) {
	var said bytes.Buffer
	c, err := In(filepath.Join(t.TempDir(), "laws"), &said)
	if err != nil {
		t.Fatal(err)
	}
	walk := pathloss.Walk{Walk: schedule.Walk{Nodes: 5, Start: pathloss.AnyStart, Turns: 30, Cap: 3, Update: model.Asserted(1, "so it is")}}
	law, err := walk.Law(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	pair, key := pathloss.Pair{U: 0, V: 1}, [32]byte{7}
	if c.Recall(pair, key) != nil {
		t.Error("a law from nowhere")
	}
	c.Keep(pair, key, law)
	if back := c.Recall(pair, key); back == nil || back.Delta(1, 2) != law.Delta(1, 2) {
		t.Errorf("kept and lost: %v", back)
	}
	other := *c
	other.program[3]++
	for what, l := range map[string]*pathloss.Law{
		"another pair": c.Recall(pathloss.Pair{U: 1, V: 0}, key), "another key": c.Recall(pair, [32]byte{8}),
		"another program": other.Recall(pair, key),
	} {
		if l != nil {
			t.Errorf("the law of %s", what)
		}
	}
	path := c.path(c.name(pair, key))
	stranger := c.path(c.name(pathloss.Pair{U: 2, V: 3}, key))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stranger, text, 0o600); err != nil { // a file under another's name
		t.Fatal(err)
	}
	if c.Recall(pathloss.Pair{U: 2, V: 3}, key) != nil {
		t.Error("a renamed file is used")
	}
	for _, at := range []int{0, 40, len(text) - 1} {
		damaged := bytes.Clone(text)
		damaged[at] ^= 1
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.Recall(pair, key) != nil {
			t.Errorf("byte %d is damaged, and the law is used", at)
		}
	}
	if !strings.Contains(said.String(), "damaged") {
		t.Errorf("nothing is said of damage: %q", said.String())
	}
	Forget(c.folder)
	if _, err := os.Stat(c.folder); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
}
