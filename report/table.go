package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Table writes the short summary at the end of a run: the results, then a line per
// accountant with its status. Without color it has plain ASCII rules and no escape
// codes, for files, pipes and NO_COLOR.
func Table(w io.Writer, r *Result, color bool) error {
	outcome := newTable(color, "", r.Name)
	for _, row := range outcomes(r) {
		outcome.Row(row[0], row[1])
	}
	text := fit(outcome) + "\n"
	if rows := worth(r); rows != nil {
		compared := newTable(color, r.Baselines.Measure, "", "")
		if r.Baselines.Own != nil {
			compared = newTable(color, r.Baselines.Measure, "all rows", "own rows", "")
		}
		for _, row := range rows {
			if r.Baselines.Own != nil {
				compared.Row(row.Name, row.Value, row.Own, row.Note)
				continue
			}
			compared.Row(row.Name, row.Value, row.Note)
		}
		text += fit(compared) + "\n"
		if said := verdict(r); said != "" {
			text += lipgloss.Wrap(said, screen, "") + "\n"
		}
	}
	if all := r.Privacy.All(); len(all) > 0 {
		text += fit(losses(r, all, color)) + "\n"
		if c := r.Privacy.Coalition; c != nil {
			text += lipgloss.Wrap(c.String(), screen, "") + "\n"
		}
		if p := r.Privacy.Public; p != nil {
			text += lipgloss.Wrap(p.String(), screen, "") + "\n"
		}
		if note := r.Privacy.LimitsNote(); note != "" {
			text += lipgloss.Wrap(note, screen, "") + "\n"
		}
		text += cautions(&r.Privacy)
	}
	_, err := io.WriteString(w, strings.ReplaceAll(text, "\u202f", " "))
	return err
}

// screen is the width that every terminal has.
const screen = 80

// fit returns the table as text, folded if a name would make it wider than screen.
func fit(t *table.Table) string {
	if text := t.String(); lipgloss.Width(text) <= screen {
		return text
	}
	return t.Width(screen).String()
}

// outcomes lists the results of a run by name and value.
func outcomes(r *Result) [][2]string {
	var rows [][2]string
	if a := r.Final.TestAccuracy; a != nil {
		rows = append(rows, [2]string{r.Data.Tested() + " accuracy", fmt.Sprintf("%.4f", *a) + overTrials(r)})
	}
	if r.Final.TestLoss.Finite() || r.Data.Test > 0 {
		rows = append(rows, [2]string{r.Data.Tested() + " loss", number(float64(r.Final.TestLoss), 4)})
	}
	rows = append(rows, details(&r.Final)...)
	rows = append(rows, [2]string{"training loss", number(float64(r.Final.TrainLoss), 4)})
	if c := r.Final.Consensus; c != nil {
		rows = append(rows, [2]string{"consensus", number(float64(*c), 3) + " mean squared distance of the " + r.Final.Scored.owners() + "' models"})
	}
	rows = append(rows, whose(&r.Final)...)
	if r.Privacy.Sigma > 0 {
		rows = append(rows, [2]string{cmp.Or(r.Privacy.Noise, "noise multiplier"), number(r.Privacy.Sigma, 4)})
	}
	rows = append(rows, r.Estimate.rows()...)
	if t := r.Simulated; t != nil {
		rows = append(rows, [2]string{"simulated time", t.words()})
	}
	return append(rows, [2]string{"steps", fmt.Sprintf("%s x %s in %s (%s/s)", plural(max(1, len(r.Trials)), "trial"),
		count(r.Steps), r.took(), count(int(r.StepsPerSecond)))})
}

// estimateRows is the largest number of names in a table.
const estimateRows = 12

// rows returns the estimates beside the truth.
func (e *Estimated) rows() (rows [][2]string) {
	if e == nil {
		return nil
	}
	for i, name := range e.Names {
		if i == estimateRows {
			rows = append(rows, [2]string{"..", fmt.Sprintf("%d more in result.json", len(e.Names)-i)})
			break
		}
		rows = append(rows, [2]string{e.Of + ": " + name, fmt.Sprintf("%s, in truth %s", number(e.Value[i], 5), number(e.Truth[i], 5))})
	}
	return append(rows, [2]string{"error", fmt.Sprintf("%s root mean squared; noise alone has standard deviation %s", number(float64(e.Error), 3), number(float64(e.Noise), 3))})
}

// whose describes whose models are scored.
func whose(f *Final) (rows [][2]string) {
	switch f.Scored {
	case ScoredOwn:
		rows = append(rows, [2]string{"scored", "what each node has; mean over nodes"})
	case ScoredTokens:
		rows = append(rows, [2]string{"scored", "the last tokens, which are kept apart; mean over them"})
	case ScoredMean:
		rows = append(rows, [2]string{"scored", "the mean of the nodes' models, which " + f.WhoHasMean()})
	}
	if m := f.MeanModel; m != nil {
		value := "loss " + number(float64(m.TestLoss), 4)
		if m.TestAccuracy != nil {
			value = fmt.Sprintf("%.4f right", *m.TestAccuracy)
		}
		rows = append(rows, [2]string{"mean model", value + "; of all " + f.Scored.owners() + "' models, which " + f.WhoHasMean()})
	}
	return rows
}

// details returns the scores besides loss and accuracy.
func details(f *Final) (rows [][2]string) {
	if c := f.Classification; c != nil {
		rows = append(rows,
			[2]string{"majority class", fmt.Sprintf("%.4f right by always answering %q", float64(c.Majority), majority(c))},
			[2]string{"balanced accuracy", number(float64(c.Balanced), 4) + ", mean share found of each class; " + chance(c)})
		if len(c.Classes) == 2 {
			rows = append(rows, [2]string{"AUC", number(float64(c.AUC), 4)})
		}
		rows = append(rows, [2]string{"confusion", confusion(c)})
	}
	if e := f.Regression; e != nil && e.TestRMSE.Finite() {
		rows = append(rows, [2]string{"test RMSE", fmt.Sprintf("%s in units of %s; always the mean: %s", number(float64(e.TestRMSE), 4), e.Label,
			number(float64(e.MeanRMSE), 4))})
	}
	return rows
}

// confusion describes the confusion matrix at the threshold of predictions.
func confusion(c *Classification) string {
	if len(c.Classes) != 2 {
		return extremes(c)
	}
	row := func(i int) string {
		return fmt.Sprintf("of %s rows %q, %s found", tenths(c.Confusion[i][0]+c.Confusion[i][1]), c.Classes[i], tenths(c.Confusion[i][i]))
	}
	text := row(1) + "; " + row(0)
	if c.Threshold > 0 {
		text += fmt.Sprintf(" (threshold %g)", c.Threshold)
	}
	return text
}

// chance describes the balanced accuracy of a constant prediction.
func chance(c *Classification) string {
	if len(c.Classes) == 2 {
		return "a coin: 0.5"
	}
	return fmt.Sprintf("a constant answer: %.3g", c.constant())
}

// extremes describes the classes with the best and the worst recall.
func extremes(c *Classification) string {
	best, worst := -1, -1
	found := func(i int) float64 { return c.Confusion[i][i] / sum(c.Confusion[i]) }
	for i, row := range c.Confusion {
		if sum(row) == 0 {
			continue
		}
		if best < 0 || found(i) > found(best) {
			best = i
		}
		if worst < 0 || found(i) < found(worst) {
			worst = i
		}
	}
	if best < 0 || len(c.Classes) != len(c.Confusion) {
		return "no rows"
	}
	said := func(i int) string {
		return fmt.Sprintf("of %s rows %q, %s found", tenths(sum(c.Confusion[i])), c.Classes[i], tenths(c.Confusion[i][i]))
	}
	return fmt.Sprintf("best: %s; worst: %s", said(best), said(worst))
}

// mistaken returns the most frequent wrong prediction for rows of class i. It
// returns "" if there is none.
func mistaken(c *Classification, i int) string {
	most := -1
	for j, n := range c.Confusion[i] {
		if j != i && n > 0 && (most < 0 || n > c.Confusion[i][most]) {
			most = j
		}
	}
	if most < 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s)", c.Classes[most], tenths(c.Confusion[i][most]))
}

// tenths formats a mean of counts.
func tenths(x float64) string {
	if whole := math.Round(x); math.Abs(x-whole) < 1e-6 { // a sum of means over trials
		return count(int(whole))
	}
	return fmt.Sprintf("%.1f", x)
}

// overTrials describes the range of the test accuracy over several trials.
func overTrials(r *Result) string {
	low, high, scored := 1.0, 0.0, 0
	for _, t := range r.Trials {
		if a := t.Final.TestAccuracy; a != nil {
			low, high, scored = min(low, *a), max(high, *a), scored+1
		}
	}
	if scored < 2 {
		return ""
	}
	return fmt.Sprintf(" (%s, %.4f to %.4f)", plural(scored, "trial"), low, high)
}

// losses returns the table of accountants.
func losses(r *Result, all []Accounted, color bool) *table.Table {
	t := newTable(color, "privacy loss", "status", "mean", "worst pair", "beyond neighbours")
	for i, a := range all {
		name := a.Accountant
		if i == 0 && a.Accountant == r.Privacy.Accountant && r.Privacy.Calibrated {
			name += " (calibrated)"
		}
		t.Row(name, string(a.Status), bound(float64(a.Mean), a.Status)+a.MeanNote(), bound(float64(a.Max), a.Status), a.Beyond())
	}
	return t
}

// cautions returns the lines under the table: the unit, and the limits of the
// numbers.
func cautions(p *Privacy) string {
	lines := []string{"Losses are " + p.Metric + ", over all ordered pairs of nodes."}
	for _, also := range p.Also {
		lines = append(lines, fmt.Sprintf("By %s they are in %s.", p.Accountant, also.in(p.Status)))
	}
	if record := p.OneRecord(); record != "" {
		lines = append(lines, "They compare data sets that differ in "+record+", replaced by any other.")
	} else if p.Unit != "" {
		lines = append(lines, "They compare data sets that differ in all the data of one "+p.Unit+".")
	}
	if p.TakenAsPublic() != "" {
		lines = append(lines, "They take preprocessing as public: it was fitted on everybody's rows.")
	}
	if said := p.CoversModel(); said != "" && p.Unit != "" {
		lines = append(lines, said)
	}
	if said := p.Begins(); said != "" {
		lines = append(lines, said)
	}
	if said := p.nearest(); said != "" {
		lines = append(lines, said)
	}
	if said := unguarded(p); said != "" {
		lines = append(lines, said)
	}
	if p.Sigma == 0 {
		lines = append(lines, "No noise was added: this run protects nobody.")
	} else if p.Simulated {
		lines = append(lines, "Simulated noise is not release noise: it came from a seed and protects nothing.")
	}
	return strings.Join(lines, "\n") + "\n"
}

// newTable returns a table with the first column in normal and the rest in bold
// type if color.
func newTable(color bool, headers ...string) *table.Table {
	t := table.New().Headers(headers...).BorderRow(false)
	if !color {
		return t.Border(lipgloss.ASCIIBorder()).StyleFunc(func(int, int) lipgloss.Style {
			return lipgloss.NewStyle().Padding(0, 1)
		})
	}
	return t.Border(lipgloss.RoundedBorder()).BorderStyle(lipgloss.NewStyle().Foreground(lipgloss.BrightBlack)).
		StyleFunc(func(row, column int) lipgloss.Style {
			style := lipgloss.NewStyle().Padding(0, 1)
			if row == table.HeaderRow || column > 0 {
				style = style.Bold(true)
			}
			return style
		})
}
