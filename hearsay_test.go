package hearsay_test

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// program returns the first program in the package comment.
func program(t *testing.T) string {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
		if code, ok := block.(*comment.Code); ok {
			return code.Text
		}
	}
	t.Fatal("the package comment has no program")
	return ""
}

// exampleOutput returns what the example Example must print.
func exampleOutput(t *testing.T) string {
	file, err := parser.ParseFile(token.NewFileSet(), "example_test.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	body := file.Scope.Lookup("Example").Decl.(*ast.FuncDecl).Body
	for _, c := range file.Comments {
		if output, ok := strings.CutPrefix(c.Text(), "Output:\n"); ok && body.Pos() < c.Pos() && c.Pos() < body.End() {
			return output
		}
	}
	t.Fatal("Example has no output")
	return ""
}

// A stranger's module compiles the program of the package comment at the first try, and it prints
// what Example prints.
func TestStrangersProgramRuns(t *testing.T) {
	testdata.Sequential(t)
	text := program(t)
	if lines := strings.Count(text, "\n"); lines > 30 {
		t.Errorf("the program has %d lines, want at most 30", lines)
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	module := "module example.org/stranger\n\ngo 1.26\n\nrequire github.com/hearsay-dp/hearsay v0.0.0\n\nreplace github.com/hearsay-dp/hearsay => " + root + "\n"
	for name, content := range map[string]string{"go.mod": module, "go.sum": string(sums), "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.CommandContext(t.Context(), "go", "run", ".")
	run.Dir, run.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := run.CombinedOutput()
	switch {
	case err != nil && strings.Contains(string(out), "module lookup disabled"):
		t.Skipf("SKIPPED: not all modules are in the module cache: %s", out)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case string(out) != exampleOutput(t):
		t.Errorf("the program prints\n%sand Example\n%s", out, exampleOutput(t))
	}
}

func price(t *testing.T, c hearsay.Config) *hearsay.Priced {
	t.Helper()
	e, err := hearsay.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Price(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A graph of edges gives the losses and the models of the same graph by name.
func TestOwnEdgesAreTheGraph(t *testing.T) {
	own := price(t, hearsay.Config{Text: averaging, Edges: [][2]int{{0, 1}, {2, 1}, {2, 3}, {3, 4}, {4, 0}}})
	named := price(t, hearsay.Config{Text: averaging + "\ngraph: ring:5"})
	if !reflect.DeepEqual(own.Schedule(), named.Schedule()) {
		t.Error("the schedules differ")
	}
	if own.Sigma != named.Sigma || own.At(0, 2) != named.At(0, 2) || own.At(3, 3) != 0 || own.Nodes() != 5 {
		t.Errorf("%v and %v, pair %v and %v", own, named, own.At(0, 2), named.At(0, 2))
	}
	a, err := own.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := named.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Models, b.Models) || len(a.Models) != 1 || len(a.Models[0]) == 0 {
		t.Errorf("models %v and %v", a.Models, b.Models)
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := a.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "result.json")); err != nil {
		t.Error(err)
	}
}

// A pair has the loss, the unit and the coverage of the account that it belongs to.
func TestPairsAgreeWithTheirAccount(t *testing.T) {
	for _, c := range []hearsay.Config{
		{Text: averaging, Edges: ring},
		{Text: averaging, Edges: ring, Set: []string{"privacy.accountant=local", "privacy.unit=participant"}},
		{File: "examples/kinds/walk.yaml", Set: []string{"graph=ring:6", "algorithm.steps=60"}},
	} {
		p := price(t, c)
		for observer := 1; observer < p.Nodes(); observer++ {
			pair, err := p.Pair(0, observer)
			if err != nil {
				t.Fatal(err)
			}
			if pair.Loss != p.At(0, observer) || pair.Status != hearsay.Sound || pair.Unit != p.Unit || pair.Metric != p.Metric ||
				pair.Towards == "" || pair.Text == "" || len(pair.Assumptions) == 0 {
				t.Errorf("pair %v, account %v with loss %v", pair, p, p.At(0, observer))
			}
		}
	}
}

// Every account of every kind of algorithm says what it counts on.
func TestEveryKindHasItsClaims(t *testing.T) {
	testdata.Sequential(t)
	examples, err := filepath.Glob("examples/kinds/*.yaml")
	if err != nil || len(examples) < 16 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	for _, file := range examples {
		for _, a := range price(t, hearsay.Config{File: file}).Accounts {
			if a.Status == "" || a.MeanStatus == "" || a.Accountant == "" || a.Metric == "" || a.Towards == "" || len(a.Assumptions) == 0 ||
				a.Unit != "participant" && a.Unit != "record" {
				t.Errorf("%s: %+v", file, a.Claim)
			}
		}
	}
}

const federation = `
participants: [{name: a, key: x}, {name: b, key: y}, {name: c, key: z}]
data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
algorithm: {steps: 14, step_size: 0.1, clip: 0.3, contributions: 5}
privacy: {sigma: 3}`

// Open says what is wrong with a Config.
func TestOpenRefuses(t *testing.T) {
	for want, c := range map[string]hearsay.Config{
		"exactly one of File and Text": {},
		"and Text must be set":         {File: "examples/kinds/walk.yaml", Text: averaging},
		"graph: is missing":            {Text: averaging},
		"nodes 0 and -1":               {Text: averaging, Edges: [][2]int{{0, -1}}},
		"2 components":                 {Text: averaging, Edges: [][2]int{{0, 1}, {2, 3}}},
		"spec has participants":        {Text: federation, Edges: ring},
		"uses none":                    {Text: averaging, Edges: ring, Set: []string{"algorithm.kind=central"}},
		"no_such_key":                  {Text: averaging, Edges: ring, Set: []string{"no_such_key=1"}},
	} {
		if _, err := hearsay.Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}
