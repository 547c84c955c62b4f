package papers

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"class": func(v Verdict) string { return strings.ReplaceAll(strings.ToLower(string(v)), " ", "-") },
	"seconds": func(s float64) string {
		if s < 100 {
			return fmt.Sprintf("%.1f s", s)
		}
		return fmt.Sprintf("%.0f min", s/60)
	},
	"short": func(t Table) bool { return len(t.Rows) <= shortTable },
}).Parse(pageText))

// shortTable is how many rows a table has that a page shows at once.
const shortTable = 40

// A judged claim of a page: a claim, how it was looked at, and what came out.
type judged struct {
	Check
	Verdict Verdict
	Reason  string
}

// A side is the claims of one basis: as a paper charges losses, or what is true.
type side struct {
	Basis Basis
	Lines []judged
}

// judged are all claims of a study with what came out.
func (s Study) judged(f *Findings) (all []judged) {
	for _, c := range f.Checks {
		verdict, reason := s.Verdict(c)
		all = append(all, judged{c, verdict, reason})
	}
	for _, c := range f.NotAsked {
		all = append(all, judged{c, NotAsked, ""})
	}
	return all
}

func (r *Record) sides() (list []side) {
	for _, c := range r.study.judged(r.Findings) {
		i := slices.IndexFunc(list, func(s side) bool { return s.Basis == c.Basis })
		if i < 0 {
			i, list = len(list), append(list, side{Basis: c.Basis})
		}
		list[i].Lines = append(list[i].Lines, c)
	}
	return list
}

// writePage is the study's page, which needs no other file and no network.
func (r *Record) writePage(w io.Writer) error {
	type shown struct {
		Name string
		SVG  template.HTML
	}
	var figures []shown
	for _, f := range r.figures() {
		figures = append(figures, shown{strings.ReplaceAll(f.name, "-", " "), template.HTML(f.svg)})
	}
	e := Entry{Study: r.study, Record: r}
	return pages.ExecuteTemplate(w, "study", map[string]any{
		"Record": r, "Verdict": e.Verdict(), "Published": e.Published(), "True": e.True(), "NotAsked": e.NotAsked(), "Sides": r.sides(), "Figures": figures, "Tables": r.Findings.Tables,
	})
}

// Judge is Study.Judge of what was found.
func (r *Record) Judge() (worst Verdict, count map[Verdict]int) { return r.study.Judge(r.Findings) }

// An Entry of the index: a study that was run, or why it was not.
type Entry struct {
	Study  Study   `json:"-"`
	Record *Record `json:"record,omitempty"` // nil: it was not run to its end
	Why    string  `json:"why,omitempty"`
	Broken bool    `json:"broken,omitempty"` // it was begun, and Why ended it
}

// Verdict is that of the record, or that there is none.
func (l Entry) Verdict() Verdict {
	switch {
	case l.Broken:
		return Fail
	case l.Record == nil:
		return Skipped
	}
	v, _ := l.Record.Judge()
	return v
}

// Published counts what the papers say as they say it.
func (l Entry) Published() string { return ratio(l.count(Pass, Fail, Differs)) }

// True counts which of it stands under sound accounting.
func (l Entry) True() string { return ratio(l.count(Stands, Falls)) }

// count is how many checks have the first verdict, and how many any of them.
func (l Entry) count(good Verdict, others ...Verdict) (some, all int) {
	if l.Record == nil {
		return 0, 0
	}
	_, count := l.Record.Judge()
	all = count[good]
	for _, v := range others {
		all += count[v]
	}
	return count[good], all
}

// NotAsked says how many claims of the full version a quick one does not ask, "" where it asks all.
func (l Entry) NotAsked() string {
	if n, _ := l.count(NotAsked); n > 0 {
		return fmt.Sprintf("%d not asked", n)
	}
	return ""
}

func ratio(some, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", some, all)
}

// overview is what came of all studies, in words.
func overview(entries []Entry) string {
	var studies []string
	for _, v := range []Verdict{Pass, Differs, Fail, Skipped} {
		n := 0
		for _, e := range entries {
			if e.Verdict() == v {
				n++
			}
		}
		if n > 0 {
			studies = append(studies, fmt.Sprintf("%d %s", n, v))
		}
	}
	var published, all, stand, asked, left int
	seconds := 0.0
	for _, e := range entries {
		p, of := e.count(Pass, Fail, Differs)
		s, ask := e.count(Stands, Falls)
		published, all, stand, asked = published+p, all+of, stand+s, asked+ask
		n, _ := e.count(NotAsked)
		left += n
		if e.Record != nil {
			seconds += e.Record.Seconds
		}
	}
	notAsked := ""
	if left > 0 {
		notAsked = fmt.Sprintf(" Not asked are %d more, which quick versions leave out.", left)
	}
	return fmt.Sprintf("%d studies: %s. Of %d claims, as published or as recorded here before, %d come out; of %d that are asked of "+
		"losses that are proved %d stand."+notAsked+" Their times add up to %.0f minutes.", len(entries), strings.Join(studies, ", "), all, published, asked, stand, seconds/60)
}

// areQuick reports whether some are quick versions.
func areQuick(entries []Entry) bool {
	return slices.ContainsFunc(entries, func(e Entry) bool { return e.Record != nil && e.Record.Quick })
}

// WriteIndex is the page over all studies: which published conclusions stand. Links go to
// a folder for each.
func WriteIndex(w io.Writer, entries []Entry) error {
	return pages.ExecuteTemplate(w, "index", map[string]any{"Entries": entries, "Overview": overview(entries), "Quick": areQuick(entries)})
}

// WriteSummary is the same as Markdown.
func WriteSummary(w io.Writer, entries []Entry, command string) error {
	var b strings.Builder
	fmt.Fprintf(&b,
		"# Which published conclusions stand\n\nMade by `%s`. %s\n\n", command, overview(entries))
	if areQuick(entries) {
		b.WriteString("These are quick versions, the same on little: what needs size may come out otherwise in full, " +
			"for which docs/PAPERS.md and docs/COMPARISON.md have the numbers.\n\n")
	}
	b.WriteString("| study | what | came out | stands | verdict | seconds |\n|---|---|---|---|---|---|\n")
	for _, l := range entries {
		seconds := ""
		if l.Record != nil {
			seconds = fmt.Sprintf("%.0f", l.Record.Seconds)
		}
		fmt.Fprintf(&b, "| %s | %s (%s) | %s | %s | %s | %s |\n", l.Study.ID, l.Study.Title, l.Study.Source, l.Published(), l.True(),
			l.Verdict(), seconds)
	}
	for _, l := range entries {
		if l.Record == nil {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s (%s)\n\n", l.Study.ID, l.Study.Title, l.Study.Source)
		for _, s := range l.Record.sides() {
			for _, c := range s.Lines {
				fmt.Fprintf(&b, "- %s, %s: **%s** (%s)", s.Basis, c.Claim, c.Verdict, c.Measured)
				if c.Reason != "" {
					b.WriteString(": " + c.Reason)
				}
				b.WriteString("\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
