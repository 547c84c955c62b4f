package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// opening is what waits for ever where a path is a pipe that nobody writes to.
var opening = regexp.MustCompile(`\bos\.(Open|ReadFile)\(`)

// builders are rooms that read the repository itself, or what the kernel shows.
var builders = []string{"cmd/release/", "cmd/measure/", "internal/regular/", "internal/testdata/", "internal/resident/"}

// Files of others are opened by internal/regular, which refuses pipes, folders and devices by name.
func TestFilesAreOpenedInOneRoom(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		for _, room := range builders {
			if strings.HasPrefix(name, room) {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for k, line := range strings.Split(string(text), "\n") {
			if opening.MatchString(line) {
				t.Errorf("%s:%d opens a file past internal/regular: %s", name, k+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
