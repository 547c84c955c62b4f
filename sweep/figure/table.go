package figure

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

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
	labels := make([]map[string]string, len(fields))
	for k, f := range fields {
		labels[k] = map[string]string{}
		for i, label := range sweep.Labels(f) {
			labels[k][f.Values[i]] = label
		}
	}
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
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, note := range sweep.Caption(rows) {
		fmt.Fprintf(b, "%% %s\n", strings.Join(strings.Fields(note), " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
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
