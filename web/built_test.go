package web

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sums are the lines of built/SUMS: what the page was built from, and what came out.
func sums(t *testing.T) (from, made map[string]string) {
	t.Helper()
	text, err := built.ReadFile("built/SUMS")
	if err != nil {
		t.Fatal(err)
	}
	from, made = map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		sum, name, _ := strings.Cut(rest, "  ")
		switch kind {
		case "from":
			from[name] = sum
		case "built":
			made[name] = sum
		default:
			t.Fatalf("SUMS has the line %q", line)
		}
	}
	return from, made
}

func sumOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// The page that the program carries is built from the sources beside it: whoever changes
// one builds it anew (cd web/ui && npm ci --ignore-scripts && node build.mjs).
func TestThePageIsBuiltFromItsSources(t *testing.T) {
	from, made := sums(t)
	var sources []string
	for _, pattern := range []string{"ui/src/*", "ui/build.mjs", "ui/package.json", "ui/package-lock.json"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range found {
			sources = append(sources, "web/"+filepath.ToSlash(path))
		}
	}
	for _, name := range []string{"2-words.js", "3-colour.js", "page.css"} {
		sources = append(sources, "report/page/"+name)
	}
	for _, name := range sources {
		if from[name] != sumOf(t, filepath.Join("..", filepath.FromSlash(name))) {
			t.Errorf("%s was changed after the page was built; cd web/ui && npm ci --ignore-scripts && node build.mjs", name)
		}
	}
	if len(from) != len(sources) {
		t.Errorf("the page was built from %d files, and there are %d", len(from), len(sources))
	}
	for name, sum := range made {
		if sumOf(t, filepath.Join("built", name)) != sum {
			t.Errorf("built/%s was changed by hand", name)
		}
	}
	entries, err := built.ReadDir("built")
	if err != nil || len(entries) != len(made)+1 {
		t.Errorf("built has %d files, SUMS %d (%v)", len(entries), len(made), err)
	}
}

// Where the packages are installed, the sources give the very bytes that are carried.
func TestTheBuildGivesTheSameBytes(t *testing.T) {
	if _, err := os.Stat("ui/node_modules/esbuild"); err != nil {
		t.Skip("SKIPPED: the packages are not installed (cd web/ui && npm ci --ignore-scripts), the page was not built anew")
	}
	out := t.TempDir()
	build := exec.CommandContext(t.Context(), "node", "ui/build.mjs", out)
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range []string{"SUMS", "app.js", "app.css"} {
		if sumOf(t, filepath.Join(out, name)) != sumOf(t, filepath.Join("built", name)) {
			t.Errorf("%s is not what the sources give", name)
		}
	}
}

// The licences of what is bundled are said.
func TestLicencesAreSaid(t *testing.T) {
	text, err := built.ReadFile("built/NOTICE.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"uplot 1.", "sigma 3.", "graphology 0.", "graphology-utils 2.", "events 3."} {
		if !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.HasPrefix(line, name) && strings.HasSuffix(line, "(MIT)") }) {
			t.Errorf("NOTICE does not name %s", name)
		}
	}
}
