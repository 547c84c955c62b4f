package house

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// emulator runs programs for 64-bit ARM on another processor (Debian: qemu-user-static).
const emulator = "qemu-aarch64-static"

// slow are the examples that take minutes in the emulator, which computes a fused
// multiply-add in some 100 ns: their accounts fill dense panels with these.
var slow = []string{"complete-sum", "gossip", "ring-histogram", "weighted-walk"}

// smaller are settings with which other examples take seconds. No computation is left out: there are fewer nodes and rows.
var smaller = map[string][]string{
	"admm-central":   {"nodes=50"},
	"admm-walk":      {"graph=hypercube:3"},
	"averaging-walk": {"graph=hypercube:3", "algorithm.steps=20"},
	"fixed-point":    {"nodes=20"},
	"gossip-gd":      {"data.rows=2"},
	"gossip-sgd":     {"graph=hypercube:3", "data.rows=2"},
	"proximal-walk":  {"graph=hypercube:3", "data.rows=2", "algorithm.steps=20"},
	"walk":           {"graph=hypercube:3", "data.rows=2", "algorithm.steps=20"},
}

// The program for another processor is compiled once for what is tested of it.
func TestAnotherProcessor(t *testing.T) {
	testdata.Sequential(t)
	there := forARM64(t)
	t.Run("fuses no product", func(t *testing.T) { noProductIsFused(t, there) })
	t.Run("writes the same", func(t *testing.T) { writesTheSame(t, there) })
}

// writesTheSame tests that whole runs on a processor of 64-bit ARM, calibration, learning and every pair's
// loss, write the files that they write here, byte for byte.
func writesTheSame(t *testing.T, there string) {
	if _, err := exec.LookPath(emulator); err != nil || runtime.GOARCH != "amd64" {
		t.Skipf("SKIPPED: needs amd64 and %s", emulator)
	}
	here := filepath.Join(t.TempDir(), "hearsay")
	if out, err := exec.Command("go", "build", "-o", here, module+"/cmd/hearsay").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "kinds", "*.yaml"))
	if err != nil || len(examples) < 16 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	for _, example := range examples {
		kind := example[:len(example)-len(".yaml")]
		t.Run(filepath.Base(kind), func(t *testing.T) {
			if slices.Contains(slow, filepath.Base(kind)) {
				t.Skipf("SKIPPED: %s takes minutes in %s", filepath.Base(kind), emulator)
			}
			want, got := filesOfRun(t, example, here), filesOfRun(t, example, emulator, there)
			if len(want) < 3 {
				t.Fatalf("a run writes %d files", len(want))
			}
			for name, text := range want {
				if !bytes.Equal(got[name], text) {
					t.Errorf("%s has other bytes where %s runs it", name, emulator)
				}
			}
		})
	}
}

// clock matches how long a run took.
var clock = regexp.MustCompile(`"(wall_seconds|steps_per_second)": [^,\n]*`)

// filesOfRun returns the files that a command writes for an example, without its page and how
// long it took.
func filesOfRun(t *testing.T, example string, command ...string) map[string][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args := append(command[1:], "run", example, "--set", "trials=1", "--cache", "none", "--out", dir)
	for _, s := range smaller[strings.TrimSuffix(filepath.Base(example), ".yaml")] {
		args = append(args, "--set", s)
	}
	run := exec.CommandContext(ctx, command[0], args...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", run.Args, err, out)
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "report.html" { // it draws what result.json says
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = clock.ReplaceAll(text, nil)
	}
	return files
}
