package house

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Every package of the module is called by its own name wherever it is imported, so that a name means one thing in the whole
// tree. A file that also imports a package of the standard library of that name may call the module's another way.
func TestPackagesAreCalledByTheirNames(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != root || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		others := map[string]bool{}
		for _, i := range file.Imports {
			if imported, _ := strconv.Unquote(i.Path.Value); !strings.HasPrefix(imported, module) {
				others[path.Base(imported)] = true
			}
		}
		for _, i := range file.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			if i.Name != nil && i.Name.Name != "_" && strings.HasPrefix(imported, module) && !others[path.Base(imported)] {
				t.Errorf("%s calls %s %s: leave the alias out, or give one of two packages of one name another", name, imported, i.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
