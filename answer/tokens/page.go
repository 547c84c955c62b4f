package tokens

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/report"
)

//go:embed page.html
var walkPage string

// writeWalkPage writes the page of an answer as one file.
func writeWalkPage(w io.Writer, a *Answer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"name": a.node, "names": a.list, "summary": func(k Case) string { return a.summary(&k) }, "digits": func(x report.Number) string { return form.Digits(float64(x)) },
		"proved": exposure.Proved, "allowed": exposure.Allowed,
		"hops": exposure.Hops, "yes": exposure.Yes, "attackers": func(k int) string { return a.list(a.Attacks[k].Attackers) }, "attack": func(r Row) int { return r.attack },
		"worst": a.ranked, "legend": a.legend, "floors": a.floors, "stops": a.stops, "order": func(k Case) (all []Target) {
			for _, i := range mostExposed(k.Targets) {
				all = append(all, k.Targets[i])
			}
			return all
		},
		"shade": func(x, of report.Number) template.CSS {
			if !(x > 0) || !(of > 0) {
				return ""
			}
			return form.Shade(min(1, float64(x)/float64(of)))
		},
		"less": func(i, most int) bool { return i < most },
	}).Parse(exposure.Parts + walkPage)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Answer
		Most int
	}{a, exposure.MostShown})
}
