package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

const top = "../.."

// No number in bench/README.md is older than the code that it names.
func TestNoNumberIsOlderThanItsCode(t *testing.T) {
	testdata.Sequential(t)
	list, kept := listed(t)
	for _, s := range list.Sittings {
		if err := fresh(top, s, kept); err != nil {
			t.Errorf("%v\nhint: %s", err, fault.Hint(err))
		}
	}
}

// The table, the curves and their picture are what was measured, and nothing that somebody wrote over it.
func TestPagesAreMadeOfWhatWasMeasured(t *testing.T) {
	testdata.Sequential(t)
	list, kept := listed(t)
	pages, err := list.pages(top, kept)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range pages {
		if got, err := os.ReadFile(filepath.Join(top, path)); err != nil || string(got) != want {
			t.Errorf("%s is not what %s makes of it (%v); make it anew: go run ./cmd/measure -table", path, resultsFile, err)
		}
	}
}

func listed(t *testing.T) (*List, results) {
	t.Helper()
	list, err := read(top)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := readResults(top)
	if err != nil {
		t.Fatal(err)
	}
	return list, kept
}

// Each package whose benchmark runs is code that its numbers depend on.
func TestSittingsNameTheCodeThatTheyRun(t *testing.T) {
	testdata.Sequential(t)
	list, _ := listed(t)
	for _, s := range list.Sittings {
		for _, r := range s.Runs {
			if r.Package != "" && !strings.Contains(" "+strings.Join(s.Code, " ")+" ", " "+strings.TrimPrefix(r.Package, "./")+" ") && r.Package != "./papers" {
				t.Errorf("%s runs %s, which is not among its code", s.Name, r.Package)
			}
		}
	}
}

// What makes a number old is its code, its benchmark or its command, and no comment, test or layout.
func TestDigestSeesCodeAndNothingElse(t *testing.T) {
	const code, test = "package p\n\n// F is two.\nfunc F() int { return 2 }\n", "package p\n\nfunc BenchmarkF(b *testing.B) { F() }\nfunc TestF(t *testing.T) {}\n"
	of := func(code, test, kernel string, change func(*Sitting)) string {
		folder := t.TempDir()
		put(t, folder, map[string]string{"p/p.go": code, "p/p_test.go": test, "p/p_amd64.s": kernel})
		s := Sitting{Name: "p", Runs: []Run{{Package: "./p", Bench: "F/n=1", For: "1x", CPU: 1}}, Code: []string{"p"}}
		change(&s)
		d, err := digest(folder, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	none := func(*Sitting) {}
	first := of(code, test, "RET", none)
	for name, again := range map[string]string{
		"a comment": of("// Package p.\n"+strings.Replace(code, "two", "2", 1), test, "RET", none),
		"layout":    of(strings.Replace(code, "\nfunc F() ", "\n\nfunc  F( ) ", 1), test, "RET", none),
		"a test":    of(code, test+"func TestG(t *testing.T) {}\n", "RET", none),
	} {
		if again != first {
			t.Errorf("%s makes it another", name)
		}
	}
	for name, other := range map[string]string{
		"code":           of(strings.Replace(code, "2 }", "3 }", 1), test, "RET", none),
		"an instruction": of(strings.Replace(code, "func", "//go:noinline\nfunc", 1), test, "RET", none),
		"the benchmark":  of(code, strings.Replace(test, "{ F() }", "{ F(); F() }", 1), "RET", none),
		"assembly":       of(code, test, "NOP; RET", none),
		"the run":        of(code, test, "RET", func(s *Sitting) { s.Runs[0].For = "2x" }),
	} {
		if other == first {
			t.Errorf("%s makes no difference", name)
		}
	}
	if _, err := digest(t.TempDir(), Sitting{Name: "p", Code: []string{"gone"}}); fault.Hint(err) == "" {
		t.Errorf("code that is not there: %v", err)
	}
}

func put(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Medians and intervals are those that benchstat prints: of 5 values none, of 6 all, of 8 to 9 from the second.
func TestSummariesAreThoseOfBenchstat(t *testing.T) {
	for _, c := range []struct {
		n                 int
		median, low, high float64
	}{{1, 1, 1, 1}, {2, 1.5, 1, 2}, {5, 3, 1, 5}, {6, 3.5, 1, 6}, {8, 4.5, 1, 8}, {9, 5, 2, 8}, {10, 5.5, 2, 9}, {20, 10.5, 6, 15}} {
		var values []float64
		for k := range c.n {
			values = append(values, float64((k*7)%c.n+1))
		}
		if c.n%7 == 0 {
			t.Fatal("choose another order")
		}
		if got, want := summarise(values), (summary{c.median, c.low, c.high, c.n}); got != want {
			t.Errorf("of %d: %v, want %v", c.n, got, want)
		}
	}
}

// repository is one with a list, a README and nothing else.
func repository(t *testing.T, list string) string {
	t.Helper()
	folder := t.TempDir()
	marks := "<!-- measured %: by go run ./cmd/measure -->\n<!-- end of % -->\n"
	page := func(names ...string) (text string) {
		for _, name := range names {
			text += strings.ReplaceAll(marks, "%", name)
		}
		return "before\n" + text + "after\n"
	}
	put(t, folder, map[string]string{
		"bench/measurements.yaml": list, "bench/README.md": page("table", "curves", "sittings"), "code.txt": "x", "docs/x": "",
	})
	return folder
}

// A sitting's runs take turns; what cannot be had beside is left out with its ratio, and a sitting that fails leaves the others.
func TestRunsTakeTurns(t *testing.T) {
	testdata.Sequential(t)
	folder := repository(t, `
sittings:
- name: pair
  runs: [{command: echo a >> log; echo BenchmarkA 1 5 ns/op 20 x/s}, {command: echo b >> log; echo BenchmarkB 1 10 ns/op}, {command: ./nowhere}]
  rows: [{what: A, value: A ns/op, beside: B ns/op, than: B}, {what: rate, value: A x/s, beside: C x/s, than: C}]
  code: [code.txt]
- name: broken
  runs: [{command: ./nowhere}]
  rows: [{what: D, value: D ns/op}]
  code: [code.txt]
- name: curve
  times: 1
  sizes: [10, 1, 2]
  limit: 1s
  runs: [{command: 'if test {n} = 1; then sleep 60; fi; echo BenchmarkN/{n} 1 3e9 ns/op'}]
  curve: n
  value: 'N/{n} ns/op'
  theory: {power: 1, says: why}
  code: [code.txt]
`)
	t.Chdir(folder)
	if err := run(t.Context(), ".", nil, options{}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a sitting without its program: %v", err)
	}
	log, _ := os.ReadFile("log")
	if got := strings.ReplaceAll(string(log), "\n", ""); got != "abababababab" {
		t.Errorf("turns: %q", got)
	}
	text, _ := os.ReadFile("bench/README.md")
	for _, want := range []string{
		"before\n", "| A | 0.00500 µs ± 0 % | B: 0.0100 µs ± 0 % | 2.0 (2.0 to 2.0) |", "| rate | 20.0 x/s ± 0 % | C: not here | not here | the same |",
		"n = 10: 3.00 s; n = 1 took longer than 1s", "after\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	list, kept := listedIn(t)
	for _, s := range list.Sittings {
		if err := fresh(".", s, kept); err != nil || (kept[s.Name] == nil) != (s.Name == "broken") {
			t.Errorf("%s: %v, %v", s.Name, err, kept[s.Name])
		}
	}
	put(t, ".", map[string]string{"code.txt": "y"})
	if err := fresh(".", list.Sittings[0], kept); err == nil || !strings.Contains(fault.Hint(err), "go run ./cmd/measure pair") {
		t.Errorf("its code has changed: %v", err)
	}
	if err := run(t.Context(), ".", nil, options{drop: true}); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile("bench/README.md"); strings.Contains(string(text), "B: ") {
		t.Errorf("what is older than its code is still there:\n%s", text)
	}
}

func listedIn(t *testing.T) (*List, results) {
	t.Helper()
	list, err := read(".")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := readResults(".")
	if err != nil {
		t.Fatal(err)
	}
	return list, kept
}

// A list that says too little, or twice the same, is refused with its place.
func TestListsAreChecked(t *testing.T) {
	const good = "sittings:\n- {name: a, runs: [{command: x}], rows: [{what: x, value: x y}], code: [c]}\n"
	if _, err := parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{
		good + "- {name: a, runs: [{command: x}], rows: [{what: x, value: x y}], code: [c]}\n",
		strings.Replace(good, "name: a, ", "", 1), strings.Replace(good, ", code: [c]", "", 1), strings.Replace(good, "command: x", "package: ./x", 1),
		strings.Replace(good, "value: x y", "value: x", 1), strings.Replace(good, "what", "whom", 1), strings.Replace(good, "rows", "sizes: [1], rows", 1),
	} {
		if _, err := parse([]byte(wrong)); fault.Hint(err) == "" {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// What was written is read again, and a line that is neither is refused.
func TestResultsAreReadAsWritten(t *testing.T) {
	folder := repository(t, "sittings: []")
	l, ok := parseLine("BenchmarkX/n=1 \t 100\t 2.5 ns/op\t 3 heap-MB")
	if !ok || l.Name != "X/n=1" || l.Values["heap-MB"] != 3 {
		t.Fatal(l, ok)
	}
	kept := results{"x": {Config: map[string]string{"sitting": "x", "code": "c"}, Lines: []Line{l, l}}}
	if err := kept.write(folder); err != nil {
		t.Fatal(err)
	}
	again, err := readResults(folder)
	if err != nil || again.text() != kept.text() || len(again["x"].values("X/n=1 ns/op")) != 2 {
		t.Errorf("%v: %q", err, again.text())
	}
	put(t, folder, map[string]string{resultsFile: "sitting: x\nsomething else\n"})
	if _, err := readResults(folder); fault.Hint(err) == "" {
		t.Errorf("a line that is nothing: %v", err)
	}
}
