package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Fields become features by a public recipe: the list of a text column's values
// and the value that replaces a missing one are constants that somebody wrote down, never
// statistics of rows. So a row becomes the same numbers whatever the other rows are.

// featuresOf returns the names of the features that a column becomes.
func featuresOf(column string, categories map[string][]string) []string {
	values := categories[column]
	if values == nil {
		return []string{column}
	}
	names := make([]string, len(values))
	for k, value := range values {
		names[k] = column + "=" + value
	}
	return names
}

// check refuses lists with a value twice, values to fill in that the column cannot
// have, and columns that are not there.
func (c *CSV) check(name string, columns []string) error {
	for _, column := range slices.Sorted(maps.Keys(c.Categories)) {
		if err := checkCategories(column, c.Categories[column]); err != nil {
			return err
		}
		if !slices.Contains(columns, column) {
			return fault.New(fmt.Sprintf("%s has no column %q to have categories", name, column), "its columns are: "+list(columns))
		}
	}
	if err := checkMissing(c.Notation.Missing, c.Classes, c.Categories); err != nil {
		return err
	}
	for _, column := range slices.Sorted(maps.Keys(c.Fill)) {
		if err := checkFill(column, c.Fill[column], c.Categories); err != nil {
			return err
		}
		switch {
		case !slices.Contains(columns, column):
			return fault.New(fmt.Sprintf("%s has no column %q to be filled", name, column), "its columns are: "+list(columns))
		case column == c.Target || column == c.Group || column == c.Person:
			return fault.New(fmt.Sprintf("fill: %q is no feature", column), "rows without a label, or of which nobody knows whose they are, can only be left out (missing: drop)")
		}
	}
	return nil
}

func checkCategories(column string, values []string) error {
	if distinct := slices.Compact(slices.Sorted(slices.Values(values))); len(values) == 0 || len(distinct) < len(values) {
		return fault.New(fmt.Sprintf("categories of %q: %s", column, list(values)), "list the values that the column can have, each once")
	}
	return nil
}

// categoryOf returns the number of the category that a field holds: the same text or, as
// spreadsheets write 1.0 for 1, the only one of the same number. It returns -1 if there is none.
func categoryOf(list []string, field string) int {
	if at := slices.Index(list, field); at >= 0 {
		return at
	}
	v, why := finite(field)
	if why != "" {
		return -1
	}
	at := -1
	for k, text := range list {
		if x, why := finite(text); why == "" && x == v {
			if at >= 0 {
				return -1 // 01 and 1 are two, and 1.0 is neither
			}
			at = k
		}
	}
	return at
}

// checkMissing refuses a mark for missing values that is also a class or a category.
func checkMissing(missing, classes []string, categories map[string][]string) error {
	for _, value := range missing {
		if ClassIndex(classes, value) >= 0 {
			return fault.New(fmt.Sprintf("missing_values: %q is one of the classes", value), "list it once, as a class or as what stands for no value")
		}
		for _, column := range slices.Sorted(maps.Keys(categories)) {
			if categoryOf(categories[column], value) >= 0 {
				return fault.New(fmt.Sprintf("missing_values: %q is one of the categories of %q", value, column), "list it once, as a category or as what stands for no value")
			}
		}
	}
	return nil
}

func checkFill(column, value string, categories map[string][]string) error {
	if values := categories[column]; values != nil {
		if categoryOf(values, value) < 0 {
			return fault.New(fmt.Sprintf("fill: %s: %q is none of its categories", column, value), "give one of "+list(values))
		}
		return nil
	}
	if _, why := finite(value); why != "" {
		return fault.New(fmt.Sprintf("fill: %s: %q is %s", column, value, why), "give a number, or the categories of a text column")
	}
	return nil
}

// given returns a field, or the value that replaces it if it is missing.
func (p *csvParser) given(j int, field string) string {
	if value, has := p.options.Fill[p.columns[j]]; has && p.roles[j] == feature && p.absent(j, field) {
		p.filled[j]++
		if p.options.Categories[p.columns[j]] == nil && p.options.Notation.Decimal == "," {
			return strings.Replace(value, ".", ",", 1) // as the file writes numbers
		}
		return value
	}
	return field
}

// rangesWith returns public ranges, with [0, 1] for every feature that a category becomes.
func rangesWith(ranges map[string][2]float64, categories map[string][]string) map[string][2]float64 {
	all := maps.Clone(ranges)
	for column := range categories {
		for _, name := range featuresOf(column, categories) {
			all[name] = [2]float64{0, 1}
		}
	}
	return all
}

// inRange reports whether a number, if text is one, lies in a range.
func inRange(text string, r [2]float64) bool {
	v, why := finite(text)
	return why == "" && v >= math.Min(r[0], r[1]) && v <= math.Max(r[0], r[1])
}
