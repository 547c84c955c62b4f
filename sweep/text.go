package sweep

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/report"
)

// WriteText writes the Pareto front for a terminal, one kind of losses after
// the other.
func WriteText(w io.Writer, fields []Field, rows []Row) error {
	best := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !r.Best })
	x := LossAxis(fields)
	slices.SortStableFunc(best, func(a, b Row) int { return compare(float64(x.Of(a)), float64(x.Of(b))) })
	head := fmt.Sprintf("%d cells; no other loses less and scores as well as these:", len(rows))
	switch {
	case len(best) == 0:
		head = fmt.Sprintf("%d cells, and none that has a score", len(rows))
	case best[0].Repeats > 1:
		head = fmt.Sprintf("%d settings, each the mean of %d repeats; no other loses less and scores as well as these:", len(rows), best[0].Repeats)
	}
	if len(x.data) > 0 {
		head = strings.Replace(head, "; no other", "; on the same data no other", 1)
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for _, kind := range kindsOf(best) {
		fmt.Fprintf(w, "losses are %s\n", kind)
		for _, r := range best {
			if r.kind().words() != kind {
				continue
			}
			if _, err := fmt.Fprintln(w, r.line(fields, x)); err != nil {
				return err
			}
		}
	}
	if len(rows) > 1 && len(best) > 0 {
		fmt.Fprintln(w, pickedOf(rows))
	}
	if len(best) > 0 && best[0].Varies != "" {
		runs, _ := best[0].averaged()
		_, err := fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("+- is the standard deviation; in brackets is the 95 %% interval of the mean. What differs: %s. %s", best[0].Varies, spread.Caution(runs, 1))))
		return err
	}
	return nil
}

// line formats a row for a terminal.
func (r Row) line(fields []Field, x Axis) string {
	what := strings.TrimPrefix(ScoreName([]Row{r}), "test ")
	if !r.Classifies {
		what = ScoreName([]Row{r})
	}
	return fmt.Sprintf("%s %s%s (%s, %s), %s %s%s: %s", x.Short, report.Loss(float64(x.Of(r)), r.Status), x.Spread(r).plusMinus(), r.Accountant, r.Status, what, short(float64(r.Score)),
		r.Spread.Score.words(), r.Cell.Name(fields))
}

// plusMinus formats the standard deviation. It returns "" if there is none.
func (s Spread) plusMinus() string {
	if math.IsNaN(float64(s.Std)) || s.Std == 0 {
		return ""
	}
	return " +- " + short(float64(s.Std))
}

// words formats the standard deviation with the interval of the mean.
func (s Spread) words() string {
	if math.IsNaN(float64(s.Std)) {
		return ""
	}
	return fmt.Sprintf(" +- %s [%s, %s]", short(float64(s.Std)), short(float64(s.Low)), short(float64(s.High)))
}
