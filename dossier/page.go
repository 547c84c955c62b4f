package dossier

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/report"
)

//go:embed page.html
var pageText string

// The texts before and after the numbers of a page. Each occurs once.
const (
	openNumbers  = "<script type=\"application/json\" id=\"dossier\">"
	closeNumbers = "</script>\n</body>\n</html>\n"
)

// Page renders the page of a dossier. The page depends on the dossier only, and carries its
// numbers.
func (d *Dossier) Page() ([]byte, error) {
	t, err := template.New("page").Funcs(words).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, struct {
		*Dossier
		Style    template.CSS
		HasSpent bool
		HasWhom  bool // some party names its worst participant
		HasHops  bool // the distance of some pair is known
	}{
		d, report.Style(), d.About == Joined,
		slices.ContainsFunc(d.Parties, func(p Party) bool { return p.About != "" }),
		slices.ContainsFunc(d.Pair, func(p Pair) bool { return p.Hops >= 0 }),
	}); err != nil {
		return nil, err
	}
	numbers, err := json.Marshal(d) // < and > are escaped in it
	if err != nil {
		return nil, err
	}
	out.WriteString(openNumbers)
	out.Write(numbers)
	out.WriteString(closeNumbers)
	return out.Bytes(), nil
}

var words = template.FuncMap{
	"up": up, "names": func(names []string) string { return strings.Join(names, ", ") },
	"finite": func(x Number) bool { return x.Finite() }, "meaning": func(s report.Status) string { return s.Meaning() },
	"less": func(n int) int { return n - 1 }, "minus": func(a, b int) int { return a - b },
	"digits": func(x any) string {
		if number, ok := x.(Number); ok {
			x = float64(number)
		}
		return fmt.Sprintf("%.5g", x)
	},
	"joined": func(text string) string { return strings.ReplaceAll(text, " %", "\u00a0%") },
	"hops": func(n int) string {
		switch n {
		case -1:
			return ""
		case 1:
			return "neighbours"
		}
		return fmt.Sprintf("%d hops", n)
	},
}
