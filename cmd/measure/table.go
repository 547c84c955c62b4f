package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// table returns the table of bench/README.md, with all rows that were measured.
func (l *List) table(kept results) string {
	if len(kept) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| what | result | compared with | times as fast | command |\n|---|---|---|---|---|\n")
	for _, s := range l.Sittings {
		result, ok := kept[s.Name]
		if !ok {
			continue
		}
		for k, r := range s.Rows {
			command := "the same"
			if k == 0 {
				command = s.commands()
			}
			b.WriteString(r.line(result, command))
		}
	}
	return b.String()
}

// line returns a row of the table. It returns "" if the row was not measured.
func (r Row) line(result *Result, command string) string {
	values := result.values(r.Value)
	if len(values) == 0 {
		return ""
	}
	_, unit := split(r.Value)
	beside, ratio := "", ""
	if r.Beside != "" {
		beside, ratio = r.Than+": not here", "not here"
		if others := result.values(r.Beside); len(others) > 0 {
			_, otherUnit := split(r.Beside)
			beside = r.Than + ": " + quantity(summarise(others), otherUnit)
			ratio = times(summarise(ratios(values, others, isRate(unit))))
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", r.What, quantity(summarise(values), unit), beside, ratio, command)
}

// commands returns the runs of a sitting as somebody types them, without settings that a reader does not need.
func (s Sitting) commands() string {
	if len(s.Sizes) > 0 {
		return "`go run ./cmd/measure " + s.Name + "`"
	}
	var all []string
	for _, r := range s.Runs {
		all = append(all, "`"+strings.ReplaceAll(r.said(), "|", "\\|")+"`")
	}
	return strings.Join(all, ", ")
}

func isRate(unit string) bool { return strings.HasSuffix(unit, "/s") }

// quantity writes a median with its unit and its spread.
func quantity(s summary, unit string) string {
	return scaled(s.median, unit) + " " + s.spread()
}

// scaled writes a value with a readable unit.
func scaled(v float64, unit string) string {
	switch {
	case unit == "ns/op" || unit == "cpu-ns/op":
		text := seconds(v / 1e9)
		if unit == "cpu-ns/op" {
			text += " of a processor"
		}
		return text
	case strings.HasPrefix(unit, "s/"):
		return seconds(v)
	case strings.HasSuffix(unit, "-MB"):
		what := strings.TrimSuffix(unit, "-MB")
		if v >= 1000 {
			return digits(v/1000) + " GB " + what
		}
		return digits(v) + " MB " + what
	case strings.HasPrefix(unit, "M") && strings.HasSuffix(unit, "/s"): // Mhops/s
		return digits(v) + " million " + unit[1:]
	case v >= 1e6:
		return digits(v/1e6) + " million " + unit
	}
	return digits(v) + " " + unit
}

func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return digits(s*1e6) + " µs"
	case s < 1:
		return digits(s*1e3) + " ms"
	}
	return digits(s) + " s"
}

// digits writes three significant digits of a number that is not negative, with commas between thousands.
func digits(v float64) string {
	if v == 0 {
		return "0"
	}
	magnitude := int(math.Floor(math.Log10(v)))
	if magnitude < 3 {
		return fmt.Sprintf("%.*f", 2-magnitude, v)
	}
	unit := math.Pow10(magnitude - 2)
	text := fmt.Sprintf("%.0f", math.Round(v/unit)*unit)
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + "," + text[k:]
	}
	return text
}

// times writes a ratio with its interval.
func times(s summary) string {
	if s.n == 1 {
		return digits2(s.median)
	}
	return fmt.Sprintf("%s (%s to %s)", digits2(s.median), digits2(s.low), digits2(s.high))
}

// digits2 writes two significant digits of a ratio, or all digits before the point if there are more. It writes "0" if the ratio
// is not above 0.
func digits2(v float64) string {
	if v <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.*f", max(0, 1-int(math.Floor(math.Log10(v)))), v)
}

// heading returns the text above the table. It lists the dates, commits, processors and Go versions of all sittings.
func (l *List) heading(kept results) string {
	if len(kept) == 0 {
		return "Nothing is measured since the code has changed: `go run ./cmd/measure` does it.\n"
	}
	of := func(key string) string {
		found := map[string]bool{}
		for _, s := range l.Sittings {
			if r, ok := kept[s.Name]; ok {
				found[strings.TrimSuffix(r.Config[key], "+")] = true
			}
		}
		return strings.Join(slices.Sorted(maps.Keys(found)), ", ")
	}
	return fmt.Sprintf(`Measured by `+"`go run ./cmd/measure`"+` on %s at commit %s, on %s processors (%s), with %s. Each line is a sitting in which what is
compared took turns: medians of six runs or as many as it says, with the interval that covers the true median 95 times in a hundred
(as benchstat has it; `+"`benchstat bench/measured.txt`"+` shows the numbers behind it); a ratio is the median of those of neighbouring runs. The machine is
shared, so take the ratios. A test fails when a number is older than the code behind it.
`, of("date"), of("commit"), of("processors"), of("cpu"), of("go"))
}

// sittings returns the table of sittings in bench/README.md: date, commit, duration, number of runs and code of each.
func (l *List) sittings(kept results) string {
	var b strings.Builder
	b.WriteString("| sitting | measured | at commit | took | runs | depends on |\n|---|---|---|---|---|---|\n")
	for _, s := range l.Sittings {
		c := map[string]string{"date": "never"}
		if r, ok := kept[s.Name]; ok {
			c = r.Config
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, c["date"], c["commit"], c["took"], c["times"], strings.Join(s.Code, ", "))
	}
	return b.String()
}
