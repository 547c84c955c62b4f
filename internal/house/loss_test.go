package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lossNames are the fields and variables that hold privacy losses, where a room shows any.
var lossNames = []string{"Epsilon", "Eps", "epsilon", "eps", "EpsilonMean", "MaxBeyondNeighbours", "Spent", "SpentLocal", "Allowed", "Deviating", "Loses", "Learns",
	"Proved", "Audit", "Sound", "Gaussian", "Mean", "Max", "Worst", "Beyond", "Local"}

// asked are places that write a loss that somebody asked for, which has the digits that they gave, and numbers that are no
// losses and have such a name.
var asked = map[string][]string{
	"answer/reconstruction/print.go": {"s.Eps"},                                                      // to stop at
	"answer/messages/print.go":       {"r.rest.Mean()", "r.rest.Max"},                                // leakage
	"answer/tokens/print.go":         {"a.Stop.Eps"},                                                 // to stop at
	"answer/tables/data.go":          {"f.Mean", "f.Max"},                                            // of a column
	"answer/tables/graph_info.go":    {"i.Degree.Mean", "i.SelfLoopMass.Mean", "i.SelfLoopMass.Max"}, // no losses
	"answer/protocols/bill.go":       {"eps"},
	"answer/protocols/convert.go":    {"f.Eps"},
	"answer/protocols/gamma.go":      {"f.Eps"},
	"answer/price/walk_answer.go":    {"d.Eps"},
	"design/limit.go":                {"l.Epsilon"},    // as a policy says it
	"design/offer.go":                {"b.Epsilon"},    // as a policy says it
	"dossier/finished.go":            {"b.Alone.Mean"}, // of a score
	"federation/assembly/status.go":  {"s.Privacy.Calibrate.Max"},
	"noise/shares.go":                {"slices.Max(rates)"}, // no loss
	"privacy/check.go":               {"eps"},
	"privacy/composition.go":         {"eps"},
	"privacy/gamma/gamma.go":         {"eps"},
	"privacy/sums/ring_histogram.go": {"eps"},
	"spec/unions.go":                 {"p.Eps"},
	"answer/pair/claims.go":          {"c.Epsilon"},                             // as it is claimed
	"sweep/away.go":                  {"row.Mean"},                              // of an answer that is refused
	"sweep/cells/verify.go":          {"said.Privacy.Mean", "own.Privacy.Mean"}, // of two that differ
}

// No room writes a loss by a verb of its own: report.Loss, and nothing else, knows on which side it stays true.
func TestLossesAreWrittenByOneWriter(t *testing.T) {
	root := filepath.Join("..", "..")
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules" || d.Name() == "papers" || d.Name() == "testdata"):
			return filepath.SkipDir // the papers' own numbers have the papers' digits
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, found := range lossesWritten(file) {
			if !slices.Contains(asked[name], found) {
				t.Errorf("%s writes %s by a verb of its own: use report.Loss with its status", name, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The check finds what it is there to find.
func TestLossWriterCheckFindsLosses(t *testing.T) {
	const text = `package p
func f() {
	fmt.Sprintf("%s: mean %.4g, worst %g", a.Name, float64(a.Mean), *p.Eps)
	fmt.Fprintf(w, "%d of %g", n, l.Loses)
	strconv.FormatFloat(s.Epsilon, 'g', 3, 64)
	fmt.Sprintf("%s", report.Loss(a.Mean, s))
	fmt.Sprintf("%g of %s", sigma, a.Max)
}`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := lossesWritten(file); !slices.Equal(got, []string{"a.Mean", "p.Eps", "l.Loses", "s.Epsilon"}) {
		t.Errorf("found %q", got)
	}
}

var verb = regexp.MustCompile(`%(?:\[\d+\])?[-+# 0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?([a-zA-Z%])`)

// lossesWritten lists the expressions that name losses and that a file formats as floating-point numbers.
func lossesWritten(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch name := function.Sel.Name; {
		case name == "FormatFloat" && len(call.Args) > 0:
			found = append(found, lossIn(call.Args[0])...)
		case name == "Sprintf" || name == "Fprintf" || name == "Errorf" || name == "Printf":
			for i, arg := range call.Args {
				if format, ok := arg.(*ast.BasicLit); ok && format.Kind == token.STRING {
					found = append(found, formatted(format.Value, call.Args[i+1:])...)
					break
				}
			}
		}
		return true
	})
	return found
}

// formatted lists the losses among what the floating-point verbs of a format write.
func formatted(literal string, args []ast.Expr) (found []string) {
	text, err := strconv.Unquote(literal)
	if err != nil {
		return nil
	}
	at := 0
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		if m[1] == "%" {
			continue
		}
		if at += strings.Count(m[0], "*"); at >= len(args) {
			break
		}
		if strings.Contains("eEfFgG", m[1]) {
			found = append(found, lossIn(args[at])...)
		}
		at++
	}
	return found
}

// lossIn is the expression without conversions, if its name is that of a loss.
func lossIn(x ast.Expr) []string {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
			continue
		case *ast.StarExpr:
			x = e.X
			continue
		case *ast.CallExpr:
			if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "float64" && len(e.Args) == 1 {
				x = e.Args[0]
				continue
			}
			if s, ok := e.Fun.(*ast.SelectorExpr); ok && slices.Contains(lossNames, s.Sel.Name) {
				return []string{types.ExprString(x)}
			}
		case *ast.SelectorExpr:
			if slices.Contains(lossNames, e.Sel.Name) {
				return []string{types.ExprString(x)}
			}
		case *ast.Ident:
			if slices.Contains(lossNames, e.Name) {
				return []string{fmt.Sprint(e.Name)}
			}
		}
		return nil
	}
}
