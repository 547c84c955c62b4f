package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// elsewhere are packages whose numbers differ between processors in their last digits, and the
// rooms that import them all the same: attacks and tools, which measure, and what is only shown.
var elsewhere = map[string][]room{
	"math":         {numbers, "attack/gradientinversion", "cmd/measure", "queue"}, // queue tells processors apart by it
	"math/cmplx":   {},
	"gonum.org/v1": {"attack", "attack/", "graph", "internal/drawntest", "internal/spread", "report", "sweep/figure"}, // graph: how fast a walk mixes; report: a file format
}

// exact are functions of gonum/floats that compute each entry for itself, with one rounding.
var exact = []string{"Add", "AddConst", "DivTo", "Min", "MinIdx", "Mul", "Scale"}

// Numbers are the same bits on every processor: elementary functions come from internal/math,
// normals from step, sums of products from sparse.
func TestNumbersAreTheSameEverywhere(t *testing.T) {
	testdata.Sequential(t)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		below, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		checkImports(t, path, filepath.ToSlash(below), file)
		checkCalls(t, path, filepath.ToSlash(below), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkImports refuses what elsewhere has and does not allow in a room.
func checkImports(t *testing.T, path, where room, file *ast.File) {
	t.Helper()
	for _, i := range file.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		for other, rooms := range elsewhere {
			same := imported == other || other == "gonum.org/v1" && strings.HasPrefix(imported, other) && imported != "gonum.org/v1/gonum/floats"
			if same && !in(where, rooms) {
				t.Errorf("%s imports %s, whose last digits differ between processors: use %s/%s", path, imported, module, numbers)
			}
		}
	}
}

// checkCalls refuses draws and sums whose last digits differ between processors.
func checkCalls(t *testing.T, path string, where room, file *ast.File) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of, _ := call.X.(*ast.Ident)
		switch name := call.Sel.Name; {
		case (name == "NormFloat64" || name == "ExpFloat64") && where != "step":
			t.Errorf("%s calls %s: use step.Normal or step.Exponential", path, name)
		case of != nil && of.Name == "floats" && !in(where, []room{"attack", "attack/"}) && filepath.Base(path) != "mixing.go" && !slices.Contains(exact, name):
			t.Errorf("%s calls floats.%s, which adds in another order on other processors: use sparse", path, name)
		}
		return true
	})
}
