package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// sideBySide are the packages by which things come to run side by side.
var sideBySide = []string{"sync", "sync/atomic", "net", "net/http", "net/http/httptest", "github.com/rogpeppe/go-internal/testscript"}

// The rooms that test.sh keeps from the race detector have nothing for it: neither they, nor their tests, nor a room
// that they use starts anything that runs beside another. Nor are they unsafe, which the detector's build checks as well.
func TestTheRaceDetectorMissesNothing(t *testing.T) {
	testdata.Sequential(t)
	all := map[string]listed{}
	for _, p := range packages(t) {
		all[strings.TrimPrefix(p.ImportPath, module+"/")] = p
	}
	rooms := alone(t)
	for _, path := range rooms {
		p, known := all[path]
		if !known {
			t.Errorf("test.sh keeps %s from the race detector, and there is no such room", path)
		}
		for _, used := range append(below(all, append(slices.Concat(p.TestImports, p.XTestImports), p.ImportPath)), path) {
			for _, found := range concurrency(t, used, used == path) {
				t.Errorf("test.sh keeps %s from the race detector: %s", path, found)
			}
		}
	}
	if len(rooms) == 0 {
		t.Error("test.sh names no rooms that it keeps from the race detector: this test reads it wrongly")
	}
	if len(concurrency(t, "internal/parallel", false)) == 0 {
		t.Error("internal/parallel starts no goroutines: this test does not see them")
	}
}

// alone are the rooms that test.sh keeps from the race detector.
func alone(t *testing.T) []string {
	script, err := os.ReadFile("../../test.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "\nalone='")
	list, _, _ := strings.Cut(rest, "'")
	return strings.Fields(list)
}

// below are the rooms among the imported packages, and those that these import.
func below(all map[string]listed, imported []string) (rooms []string) {
	for k := 0; k < len(imported); k++ {
		path, own := strings.CutPrefix(imported[k], module+"/")
		if own && !slices.Contains(rooms, path) {
			rooms = append(rooms, path)
			imported = append(imported, all[path].Imports...)
		}
	}
	return rooms
}

// concurrency is what in a room may run beside something else or is unsafe; in its tests too, where they are run.
func concurrency(t *testing.T, room string, tests bool) (found []string) {
	files, err := filepath.Glob("../../" + room + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !tests && strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if path := strings.Trim(i.Path.Value, `"`); slices.Contains(sideBySide, path) || tests && path == "unsafe" {
				found = append(found, name+" imports "+path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if starts(n) {
				found = append(found, set.Position(n.Pos()).String()+" starts something beside itself")
			}
			return true
		})
	}
	return found
}

// starts reports whether a piece of code is a go statement, or calls what runs another function beside it.
func starts(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		called, ok := n.Fun.(*ast.SelectorExpr)
		return ok && slices.Contains([]string{"Go", "Parallel", "AfterFunc", "RunParallel", "SetFinalizer", "AddCleanup"}, called.Sel.Name)
	}
	return false
}
