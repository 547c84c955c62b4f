package figure

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
)

// csv writes a row a point: panel, curve, loss, score, interval, repeats.
func (f *Figure) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"panel", "curve", "loss", "score", "low", "high", "repeats"}); err != nil {
		return err
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	for _, line := range f.Panels {
		for _, p := range line {
			for _, c := range p.Curves {
				for _, at := range c.Points {
					if err := out.Write([]string{p.Title, c.Name, number(at.X), number(at.Y), number(at.Low), number(at.High), strconv.Itoa(at.Repeats)}); err != nil {
						return err
					}
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// WriteTable writes the rows of a sweep as a LaTeX table with booktabs rules. It has a column for each varied key, the
// loss, and the score with half the length of its interval. The notes for the caption follow as a comment.
func WriteTable(w io.Writer, fields []sweep.Field, rows []sweep.Row) error {
	axis, b := sweep.LossAxis(fields), &strings.Builder{}
	telling, kinds := sweep.Telling(rows), false
	for _, r := range rows {
		kinds = kinds || r.Error == "" && telling(r) != ""
	}
	fmt.Fprintf(b, "\\begin{tabular}{%srr%s}\n\\toprule\n", strings.Repeat("l", len(fields)), strings.Repeat("l", index(kinds)))
	for _, f := range fields {
		fmt.Fprintf(b, "%s & ", TeX(f.Key))
	}
	fmt.Fprintf(b, "%s & %s%s \\\\\n\\midrule\n", TeX(axis.Name), sweep.ScoreName(rows), strings.Repeat(" & losses", index(kinds)))
	labels := labelled(fields)
	for _, r := range rows {
		for k, value := range r.Values {
			fmt.Fprintf(b, "%s & ", TeX(labels[k][value]))
		}
		if r.Error != "" {
			fmt.Fprintf(b, "-- & --%s \\\\\n", strings.Repeat(" & ", index(kinds)))
			continue
		}
		fmt.Fprintf(b, "%s & %s", TeX(report.Loss(float64(axis.Of(r)), r.Status)), score(r))
		if kinds {
			fmt.Fprintf(b, " & %s", TeX(telling(r)))
		}
		b.WriteString(" \\\\\n")
	}
	return finish(w, b, rows)
}

// finish ends a table, adds the notes for the caption as a comment, and writes it.
func finish(w io.Writer, b *strings.Builder, rows []sweep.Row) error {
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, note := range sweep.Caption(rows) {
		fmt.Fprintf(b, "%% %s\n", strings.Join(strings.Fields(note), " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// labelled returns for each field the labels of its values.
func labelled(fields []sweep.Field) []map[string]string {
	labels := make([]map[string]string, len(fields))
	for k, f := range fields {
		labels[k] = map[string]string{}
		for i, label := range sweep.Labels(f) {
			labels[k][f.Values[i]] = label
		}
	}
	return labels
}

// Pivot writes the rows of a sweep as a LaTeX table with a column for each value of one key, and a line for each combination of the
// others. Cells hold the score with half the length of its interval. Where losses are of several kinds, the last column says of which
// those of the line are.
func Pivot(w io.Writer, fields []sweep.Field, rows []sweep.Row, key string) error {
	across := slices.IndexFunc(fields, func(f sweep.Field) bool { return f.Key == key })
	if across < 0 {
		return NoColumns(fields, key)
	}
	labels, telling, b := labelled(fields), sweep.Telling(rows), &strings.Builder{}
	type line struct {
		heads []string
		cells map[string]string
		kinds []string
	}
	var lines []*line
	at, several := map[string]*line{}, false
	for _, r := range rows {
		var heads []string
		for k, value := range r.Values {
			if k != across {
				heads = append(heads, labels[k][value])
			}
		}
		name := strings.Join(heads, "\x00")
		if at[name] == nil {
			at[name] = &line{heads, map[string]string{}, nil}
			lines = append(lines, at[name])
		}
		if r.Error != "" {
			continue
		}
		at[name].cells[r.Values[across]] = score(r)
		if told := telling(r); told != "" && !slices.Contains(at[name].kinds, told) {
			at[name].kinds, several = append(at[name].kinds, told), true
		}
	}
	columns := fields[across].Values
	fmt.Fprintf(b, "\\begin{tabular}{%s%s%s}\n\\toprule\n", strings.Repeat("l", len(fields)-1), strings.Repeat("r", len(columns)), strings.Repeat("l", index(several)))
	fmt.Fprintf(b, "%s\\multicolumn{%d}{c}{%s, by %s} %s\\\\\n", strings.Repeat("& ", len(fields)-1), len(columns), sweep.ScoreName(rows), TeX(key), strings.Repeat("& ", index(several)))
	for k, f := range fields {
		if k != across {
			fmt.Fprintf(b, "%s & ", TeX(f.Key))
		}
	}
	heads := make([]string, len(columns))
	for i, value := range columns {
		heads[i] = TeX(labels[across][value])
	}
	fmt.Fprintf(b, "%s%s \\\\\n\\midrule\n", strings.Join(heads, " & "), strings.Repeat(" & losses", index(several)))
	for _, l := range lines {
		for _, head := range l.heads {
			fmt.Fprintf(b, "%s & ", TeX(head))
		}
		for i, value := range columns {
			heads[i] = cmp.Or(l.cells[value], "--")
		}
		b.WriteString(strings.Join(heads, " & "))
		if several {
			fmt.Fprintf(b, " & %s", TeX(strings.Join(l.kinds, "; ")))
		}
		b.WriteString(" \\\\\n")
	}
	return finish(w, b, rows)
}

// NoColumns returns the error for a key of columns that does not vary.
func NoColumns(fields []sweep.Field, key string) error {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	return fault.New("--table-columns "+key+" is no key of --vary", "one of "+strings.Join(keys, ", "))
}

func index(is bool) int {
	if is {
		return 1
	}
	return 0
}

// score returns the score of a row with half the length of its interval.
func score(r sweep.Row) string {
	text := strconv.FormatFloat(float64(r.Score), 'f', 4, 64)
	if s := r.Spread.Score; s.Low.Finite() && s.High.Finite() {
		text += fmt.Sprintf(" $\\pm$ %.4f", float64(max(r.Score-s.Low, s.High-r.Score)))
	}
	return text
}

// special replaces the special characters of TeX.
var special = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`, "^", `\textasciicircum{}`, "~", `\textasciitilde{}`,
	"\n", " ", "\r", " ", "\t", " ", "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, `\textquotedbl{}`)

// TeX returns a text such that LaTeX prints it literally.
func TeX(text string) string { return special.Replace(text) }
