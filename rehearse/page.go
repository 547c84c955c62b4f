package rehearse

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hearsay-dp/hearsay/report"
)

//go:embed page.html
var pageText string

// WritePage writes the page as one file without external resources.
func (r *Rehearsal) WritePage(w io.Writer) error {
	t, err := template.New("page").Funcs(r.words()).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Rehearsal
		Style template.CSS
		OnOwn bool
	}{r, report.Style(), !r.everybody})
}

// words returns the functions of the page template.
func (r *Rehearsal) words() template.FuncMap {
	return template.FuncMap{
		"class": class, "gained": r.gain, "spread": r.plusMinus, "hops": hops, "bytes": sized, "same": same,
		"count": func(n int) string { return grouped(int64(n)) }, "count64": grouped,
		"percent": func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) },
		"level":   func(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) },
		"digits": func(x any) string {
			switch x := x.(type) {
			case report.Number:
				return fmt.Sprintf("%.4g", float64(x))
			case float64:
				return fmt.Sprintf("%.4g", x)
			}
			return fmt.Sprint(x)
		},
		"chance": func() string { return fmt.Sprintf("%.3g %%", 100/float64(r.Measure.Classes)) }, "found": found, "decides": func(s Standing) Answer { return s.answer() }, "hundredths": hundredths, "digit2": digit2, "up": up, "duration": seconds, "base": filepath.Base, "legend": r.legend,
	}
}

func class(a Answer) string {
	if a == NotClear {
		return "open"
	}
	return string(a)
}

// legend explains the names of the worlds, each part of a name once.
func (r *Rehearsal) legend() (lines [][2]string) {
	for _, w := range r.Worlds {
		names, words := []string{w.Name}, []string{w.Words}
		if first, second, ok := strings.Cut(w.Name, ", "); ok {
			names, words = []string{first, second}, strings.SplitN(w.Words, "; ", 2)
		}
		for k, name := range names {
			line := [2]string{name, strings.ToUpper(words[k][:1]) + words[k][1:]}
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// gain formats a gain, in percentage points if it is of a share.
func (r *Rehearsal) gain(x report.Number) string {
	switch {
	case !x.Finite():
		return "–"
	case r.Measure.Share:
		return fmt.Sprintf("%+.1f", 100*float64(x))
	}
	if x <= 0 {
		return three(float64(x))
	}
	return "+" + three(float64(x))
}

// plusMinus formats a mean with its standard deviation.
func (r *Rehearsal) plusMinus(s Spread) string {
	switch {
	case !s.Mean.Finite():
		return "–"
	case r.Measure.Share:
		return fmt.Sprintf("%.1f %% ± %.1f", 100*float64(s.Mean), 100*float64(s.Std))
	}
	return three(float64(s.Mean)) + " ± " + three(float64(s.Std))
}

// up formats a loss, rounded up.
func up(x report.Number) string { return report.Loss(float64(x), report.Sound) }

// same reports whether the worst pairs have equal losses, so that it is pointless to name some.
func same(pairs []Pair) bool {
	first, last := float64(pairs[0].Epsilon), float64(pairs[len(pairs)-1].Epsilon)
	return len(pairs) > 1 && last >= first*(1-1e-6)
}

func hops(n int) string {
	switch {
	case n < 0:
		return "no way between them"
	case n == 1:
		return "neighbours"
	}
	return fmt.Sprintf("%d hops", n)
}

func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// sized formats a number of bytes.
func sized(n float64) string {
	for _, unit := range []string{"bytes", "kB", "MB", "GB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.4g TB", n)
}

// seconds formats a duration.
func seconds(s float64) string {
	switch d := time.Duration(s * float64(time.Second)); {
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", 1000*s)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.3g s", s)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.3g min", s/60)
	}
	return fmt.Sprintf("%.3g h", s/3600)
}

// Print writes the rehearsal for a terminal.
func (r *Rehearsal) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: is joining worth it?\n\n%s\n\n", r.Name, r.Summary)
	if r.Helping != "" {
		fmt.Fprintf(w, "What would help? %s\n\n", r.Helping)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "participant\tworth it?")
	for _, world := range r.Worlds {
		fmt.Fprintf(t, "\t%s", world.Name)
	}
	fmt.Fprintln(t)
	for i, v := range r.Verdicts {
		fmt.Fprintf(t, "%s\t%s", v.Participant, v.Answer)
		for _, world := range r.Worlds {
			g := world.Participants[i].Gain
			fmt.Fprintf(t, "\t%s (%s to %s)", r.gain(g.Mean), r.gain(g.Low), r.gain(g.High))
			if h := world.Participants[i].HomeGain; h != nil {
				fmt.Fprintf(t, ", at home %s (%s to %s)", r.gain(h.Mean), r.gain(h.Low), r.gain(h.High))
			}
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	unit := "points of " + r.Measure.Name
	if !r.Measure.Share {
		unit = strings.TrimSpace(r.Measure.Name + " " + r.Measure.Unit)
	}
	fmt.Fprintf(w, "Gain by joining over own rows alone, in %s: mean of %d trials, %.3g %% interval.\n", unit, r.Trials, 100*r.Confidence)
	for _, world := range r.Worlds {
		fmt.Fprintf(w, "  %s: %s\n", world.Name, world.Words)
	}
	r.printRare(w)
	fmt.Fprintln(w)
	for _, v := range r.Verdicts[:min(len(r.Verdicts), mostPrinted)] {
		fmt.Fprintf(w, "%s: %s: %s.\n", v.Participant, v.Answer, v.Why)
	}
	fmt.Fprintf(w, "\n%s\n\n", r.Rule)
	r.printCost(w)
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	return nil
}

// printRare prints the scores on the rarest class in each world, as means for each examined participant.
func (r *Rehearsal) printRare(w io.Writer) {
	if r.Measure.Classes == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rows of the rarest class\tjoined finds\talone finds\tat home finds\tjoined, balanced accuracy\tjoined, AUC\tjoined, accuracy\talways the most frequent")
	for _, world := range r.Worlds {
		for _, s := range world.Participants[:min(len(world.Participants), mostPrinted)] {
			fmt.Fprintf(t, "%s, %s: %.3g of class %s\t%.3g\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, world.Name, float64(s.Rare.Rows), s.Rare.Class, float64(s.Rare.Joined.Found),
				found(s.Rare.Alone.Found), found(s.Rare.Home.Found), hundredths(s.Joined.Mean), digit2(s.Rare.Joined.AUC), hundredths(s.Rare.Joined.Accuracy), hundredths(s.Rare.Majority))
		}
	}
	_ = t.Flush() // w reports its error at the next write
}

func found(x report.Number) string {
	if !x.Finite() {
		return "–"
	}
	return fmt.Sprintf("%.3g", float64(x))
}

func hundredths(x report.Number) string {
	if !x.Finite() {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(x))
}

func digit2(x report.Number) string {
	if !x.Finite() {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(x))
}

// mostPrinted is the largest number of participants that are printed with their reasons.
const mostPrinted = 16

func (r *Rehearsal) printCost(w io.Writer) {
	p := r.Privacy
	fmt.Fprintf(w, "losses (%s, %s, %s): mean %s", p.Metric, p.Accountant, p.Status, up(p.Mean))
	if len(p.Worst) > 0 {
		worst := p.Worst[0]
		fmt.Fprintf(w, ", worst %s (%s about %s, %s)", up(worst.Epsilon), worst.Observer, worst.About, hops(worst.Hops))
	}
	fmt.Fprintf(w, "\ntime: %d turns, about %s at %s a message\ntraffic: %d %ss of %d bytes, %s in all\n", r.Cost.Turns, seconds(r.Cost.Seconds), seconds(r.Cost.Latency),
		r.Cost.Messages, r.Cost.Unit, r.Cost.FrameBytes, sized(r.Cost.Bytes))
	for _, c := range r.Policies {
		if c.Accepts {
			fmt.Fprintf(w, "%s accepts (%s)%s\n", c.Participant, c.File, c.but())
			continue
		}
		fmt.Fprintf(w, "%s refuses (%s): %s; %s\n", c.Participant, c.File, strings.Join(c.Reasons, "; and "), strings.Join(c.Fits, "; "))
	}
	fmt.Fprintln(w)
}
