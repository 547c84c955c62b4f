package studies

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/papers"
)

// A study, and a cell of a sweep, are run again when a file in the folder of their data has changed.
func TestStudiesSeeFilesThatChangeInAFolder(t *testing.T) {
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "heart"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, "heart", "processed.va.data")
	study, err := papers.Find("flamby-heart")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, text := range []string{"", "one", "another"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		key := studyKey("key", study, data)
		if again := studyKey("key", study, data); seen[key] || again != key {
			t.Errorf("text %d: the key is %q, and then %q", i, key, again)
		}
		seen[key] = true
	}
	if Stamp(filepath.Join(data, "heart", "none")) != "" || Stamp("") != "" {
		t.Error("what is not there has a stamp")
	}
}
