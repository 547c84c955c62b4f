// Package testdata finds the reference files that some tests compare with.
// They live outside the repository; where they are absent the test skips and
// says so.
package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of a reference file (slash-separated, relative to
// the reference folder), or skips the test. The folder is found beside the
// checkout, or where HEARSAY_SHARED says.
func Shared(tb testing.TB, name string) string {
	tb.Helper()
	root := os.Getenv("HEARSAY_SHARED")
	if root == "" {
		root = filepath.Join(moduleRoot(tb), "..", "shared")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("SKIPPED: reference file %s is not here (set HEARSAY_SHARED to the folder that holds it)", name)
	}
	return path
}

// moduleRoot walks up from the working directory to the folder of go.mod.
func moduleRoot(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		tb.Fatalf("no go.mod above the working directory")
	}
}
