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

// shortTable is the largest number of rows of a table that a page shows at once.
const shortTable = 40

// A judged is a claim of a page: its check, its verdict and the reason.
type judged struct {
	Check
	Verdict Verdict
	Reason  string
}

// A side holds the claims of one basis: as a paper charges losses, or with true losses.
type side struct {
	Basis Basis
	Lines []judged
}

// judged returns all claims of a study with their verdicts.
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

// writePage writes the study's page as one file that needs no network.
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

// Judge returns Study.Judge of the findings.
func (r *Record) Judge() (worst Verdict, count map[Verdict]int) { return r.study.Judge(r.Findings) }

// An Entry is an entry of the index: a study that was run, or the reason why it was not.
type Entry struct {
	Study  Study   `json:"-"`
	Record *Record `json:"record,omitempty"` // nil: not completed
	Why    string  `json:"why,omitempty"`
	Broken bool    `json:"broken,omitempty"` // it started, and Why ended it
}

// Verdict returns the verdict of the record. It returns Skipped if there is none, and Fail if the
// run broke.
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

// Published counts the published claims that are reproduced.
func (l Entry) Published() string { return ratio(l.count(Pass, Fail, Differs)) }

// True counts the claims that hold under sound accounting.
func (l Entry) True() string { return ratio(l.count(Stands, Falls)) }

// count returns the number of checks with the first verdict, and with any of them.
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

// NotAsked returns the number of claims of the full version that a quick one does not check, as
// text. It returns "" if it checks all.
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

// overview summarises all studies in words.
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

// WriteIndex writes the page over all studies, which shows the published conclusions that hold. It
// links to a folder for each study.
func WriteIndex(w io.Writer, entries []Entry) error {
	return pages.ExecuteTemplate(w, "index", map[string]any{"Entries": entries, "Overview": overview(entries), "Quick": areQuick(entries)})
}

// WriteSummary writes the same as Markdown.
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
