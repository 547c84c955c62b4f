package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// yamlIn are the mappings and lists in a hint, with their key.
var yamlIn = regexp.MustCompile(`([\w.]+: ?)?\{[^{}]*(\{[^{}]*\}[^{}]*)*\}|[\w.]+: ?\[[^\]]*\]`)

// verbs are places for values.
var verbs = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z]`)

// hintsOf returns the texts in the hints that a file gives with its errors.
func hintsOf(file *ast.File) (texts []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) < 2 {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			if room, is := f.X.(*ast.Ident); !is || room.Name != "fault" {
				return true
			}
		case *ast.Ident:
			if f.Name != "invalid" {
				return true
			}
		default:
			return true
		}
		ast.Inspect(call.Args[len(call.Args)-1], func(n ast.Node) bool {
			if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING {
				if value, err := strconv.Unquote(text.Value); err == nil {
					texts = append(texts, value)
				}
			}
			return true
		})
		return true
	})
	return texts
}

// eachSource calls do with every file of the program.
func eachSource(t *testing.T, do func(path string, file *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err == nil {
			do(strings.TrimPrefix(path, root), file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a hint says to write is YAML that is read as it stands. What is printed of somebody's
// own columns and values is written by internal/yamltext, whose tests paste it.
func TestHintsAreReadAsTheyStand(t *testing.T) {
	pasted := 0
	eachSource(t, func(path string, file *ast.File) {
		for _, hint := range hintsOf(file) {
			for _, text := range yamlIn.FindAllString(verbs.ReplaceAllString(hint, "1"), -1) {
				pasted++
				if _, err := yamltext.NewDocument([]byte(text), 1<<10, "hint"); err != nil || !strings.Contains(text, ": ") {
					t.Errorf("%s: %q is no YAML (%v), in the hint %q", path, text, err, hint)
				}
			}
		}
	})
	if pasted < 15 {
		t.Errorf("%d pieces of YAML were found in hints", pasted)
	}
}

// nearest is a bound in a hint that is rounded to the nearest number of some digits.
var nearest = regexp.MustCompile(`(at least|at most|above|below|more than|less than|fewer than|up to|from|to) %[-+ ]?\.[1-9]?[0-9]*[gfe]`)

// A number that a hint says is enough is enough: it is rounded to the side on which it is, by internal/digits.
func TestNumbersInHintsAreRoundedOutward(t *testing.T) {
	looked := 0
	eachSource(t, func(path string, file *ast.File) {
		for _, hint := range hintsOf(file) {
			looked++
			if at := nearest.FindString(hint); at != "" {
				t.Errorf("%s: %q is rounded to the nearest number in the hint %q", path, at, hint)
			}
		}
	})
	if looked < 1000 {
		t.Errorf("%d hints were looked at", looked)
	}
}
