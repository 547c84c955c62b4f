package form

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
)

// TestEncodedRowsAreKeptWhereTheCacheIs opens a spec whose rows are encoded: they are kept in the folder of --cache, and nowhere
// with --cache none or for a participant.
func TestEncodedRowsAreKeptWhereTheCacheIs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(CacheVariable, filepath.Join(dir, "of the environment"))
	var table strings.Builder
	for j := range 1024 {
		fmt.Fprintf(&table, "p%d,", j)
	}
	table.WriteString("label\n")
	for i := range 1100 {
		for j := range 1024 {
			fmt.Fprintf(&table, "%d,", (i*j/7+j)%2)
		}
		fmt.Fprintf(&table, "%d\n", i%2)
	}
	path := filepath.Join(dir, "spec.yaml")
	const text = `{graph: "complete:3", model: {kind: logistic}, algorithm: {kind: gossip-gd, steps: 2, step_size: 0.1, clip: 1}, privacy: {sigma: 1},
  data: {source: csv, path: rows.csv, target: label, scale: none, shape: [1, 32, 32], features: [{scatter: {scales: 3, angles: 1}}]}}`
	for name, content := range map[string]string{path: text, filepath.Join(dir, "rows.csv"): table.String()} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(dir, "kept")
	for _, c := range []struct {
		cache Cache
		plain bool
		files int
	}{{NoCache, false, 0}, {"", true, 0}, {Cache(folder), false, 1}, {Cache(folder), false, 1}} {
		ctx, err := c.cache.Watched(context.Background(), io.Discard)
		if c.plain {
			watch, failed := c.cache.Plain(context.Background(), io.Discard)
			ctx, err = experiment.Watching(context.Background(), watch), failed
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := experiment.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := experiment.Open(ctx, s, func(string) {}); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", "rows", "*.kept"))
		if err != nil || len(files) != c.files {
			t.Errorf("cache %q: %d files, wanted %d: %v", c.cache, len(files), c.files, err)
		}
	}
	question := CacheQuestion{Cache: Cache(folder), Clear: true}
	var said strings.Builder
	if err := question.Answer(Asker{Stdout: &said, Stderr: io.Discard}, nil); err != nil || !strings.Contains(said.String(), ": 0 files") {
		t.Errorf("%q, %v", said.String(), err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
}
