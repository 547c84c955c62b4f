package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// skipped are commands of README that take minutes, need data or installed programs, or go on until they are stopped.
var skipped = regexp.MustCompile(`^(run|sweep|demo|serve|rehearse|papers run|attack membership) `)

// README's commands work as they are pasted, one after the other, from the top of the repository.
func TestReadmeCommandsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it runs eight programs")
	}
	top, out := filepath.Join("..", ".."), t.TempDir()
	file, err := os.Open(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ran := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line, is := strings.CutPrefix(lines.Text(), "    go run ./cmd/hearsay ")
		line, _, _ = strings.Cut(line, " #")
		if line = strings.TrimSpace(line) + " "; !is || skipped.MatchString(line) {
			continue
		}
		cmd := exec.Command("sh", "-c", "hearsay "+strings.ReplaceAll(line, " out/", " "+out+"/"))
		cmd.Dir = top
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, said)
		}
		ran++
	}
	if ran < 6 {
		t.Errorf("README has %d commands", ran)
	}
}
