package papers

import (
	"os"
	"path/filepath"
	"testing"
)

// A second study beside a first one keeps both; the same study again is written over.
func TestAStudyOverwritesNoOther(t *testing.T) {
	folder := t.TempDir()
	a, b := Study{ID: "a"}, Study{ID: "b"}
	for _, s := range []Study{a, b, a, b} {
		if err := (&Record{ID: s.ID, Findings: &Findings{}, study: s}).Write(s.Place(folder)); err != nil {
			t.Fatal(err)
		}
	}
	if a.Place(folder) != folder || b.Place(folder) != filepath.Join(folder, "b") {
		t.Error(a.Place(folder), b.Place(folder))
	}
	for _, path := range []string{recordFile, filepath.Join("b", recordFile)} {
		if _, err := os.Stat(filepath.Join(folder, path)); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, recordFile), []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b.Place(folder) != folder {
		t.Error("a damaged record counts as another study's")
	}
}
