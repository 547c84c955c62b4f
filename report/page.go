package report

import (
	"bufio"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

//go:embed page
var pageFiles embed.FS

// Page writes report.html, the page about b, to w. The page needs no network
// and no other file. If there are too many pairs or nodes to include or draw,
// the page states so.
func Page(ctx context.Context, w io.Writer, b *Bundle) error {
	if err := b.check(); err != nil {
		return err
	}
	s, err := newSurvey(ctx, b, usual)
	if err != nil {
		return err
	}
	return writePage(w, b, s)
}

// A view is the data of page/page.html.
type view struct {
	*Result
	Spec          string // the resolved spec; hides Result.Spec
	Style         template.CSS
	Script        template.JS
	ScriptHash    string
	Figures       []Figure
	Accuracy      template.HTML
	Losses        template.HTML
	Decay         template.HTML
	Accountants   []Accounted
	Sound         *Accounted // the sound accountant with the smallest mean, if any
	Pairwise      []lossView
	Facts         facts
	Blobs         []blob
	GraphMissing  string     // reason why the graph is not drawn
	MatrixMissing string     // reason why there is no picture of the matrix
	Own           *Own       // nil: a simulation
	Local         *Accounted // drawn as a line
	ErrorPercent  string     // largest rounding of a loss on the page
	VersionNames  []string
	Names         []string // of the nodes; nil: their numbers
}

// nodeName returns the name of a node. It returns "" for -1.
func (v *view) nodeName(node int) string {
	if node < 0 {
		return ""
	}
	if len(v.Names) > 0 {
		return v.Names[node]
	}
	return fmt.Sprintf("node %d", node)
}

// lossView is one accountant with pairwise losses.
type lossView struct {
	*Losses
	Index int
	Heat  template.URL // picture of the matrix, "" if there is none
}

// A blob is packed data for the script.
type blob struct{ ID, Data string }

// writePage renders the page from a finished survey.
func writePage(w io.Writer, b *Bundle, s *survey) error {
	t, err := template.New("page.html").Funcs(words()).ParseFS(pageFiles, "page/page.html")
	if err != nil {
		return err
	}
	v, err := newView(b, s)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, lineBuffer)
	if err := t.Execute(out, v); err != nil {
		return err
	}
	return out.Flush()
}

func newView(b *Bundle, s *survey) (*view, error) {
	r := b.Result
	script, err := joined("page/*.js")
	if err != nil {
		return nil, err
	}
	v := &view{Result: r, Spec: string(b.ResolvedSpec), Style: Style(), Script: template.JS(script),
		ScriptHash: hash(script), Figures: figures(r), Accountants: r.Privacy.All(), Sound: bestSound(&r.Privacy),
		Local: localLine(r, s), Own: b.Own, VersionNames: slices.Sorted(maps.Keys(r.Versions))}
	if b.Picture != nil {
		v.Names = b.Picture.Names
	}
	if b.Own != nil {
		v.Figures = b.Own.figures(r)
	}
	v.addCharts(r, s)
	if s.n < 2 {
		return v, nil
	}
	return v, v.addPairs(b, s)
}

// joined concatenates embedded files in the order of their names.
func joined(pattern string) (string, error) {
	names, err := fs.Glob(pageFiles, pattern)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		text, err := pageFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
}

// Style returns the style of all pages, for screens, dark mode and paper.
func Style() template.CSS {
	style, err := joined("page/*.css")
	if err != nil {
		panic("report: " + err.Error()) // it is embedded
	}
	return template.CSS(style)
}

// hash returns the name of the only script that the page's security policy
// allows.
func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (v *view) addCharts(r *Result, s *survey) {
	if r.Final.TestAccuracy != nil {
		v.Accuracy = curveChart(r, r.Data.Tested()+" accuracy", []curve{
			{capital(r.Data.Tested()) + " accuracy", func(p Point) Spread { return p.TestAccuracy }}})
	}
	v.Losses = curveChart(r, "loss", []curve{
		{"Training loss", func(p Point) Spread { return p.TrainLoss }},
		{capital(r.Data.Tested()) + " loss", func(p Point) Spread { return p.TestLoss }}})
	v.Decay = decayChart(r, s)
}

// addPairs adds the data about single pairs.
func (v *view) addPairs(b *Bundle, s *survey) error {
	observers := s.carried()
	payloads := s.payloads(observers)
	v.Facts = newFacts(b, s, observers, payloads)
	v.Blobs = lossBlobs(payloads)
	v.GraphMissing = undrawable(b)
	if v.GraphMissing == "" {
		v.Blobs = append(v.Blobs, drawing(b.Picture)...)
	}
	if s.pools == nil && s.mutual() {
		v.MatrixMissing = "There are too many pairs to look at all of them, and a picture that leaves some out could hide the worst."
	}
	v.ErrorPercent = roundingError(payloads)
	for k, l := range s.losses {
		lv := lossView{Losses: l, Index: k}
		if s.pools != nil {
			lv.Heat = template.URL(heatMap(s.pools.cells[k], s.pools.side, payloads[k].Low, payloads[k].High, colourMap()))
		}
		v.Pairwise = append(v.Pairwise, lv)
	}
	return nil
}

// capital returns a word with its first letter as a capital.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
