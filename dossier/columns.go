package dossier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/spec"
)

// mostColumns is the maximal number of columns in a dossier. mostValues is the maximal number of
// values of one column.
const mostColumns, mostValues = 40, 12

// A Column describes a column of a participant's table that the spec reads, with the values that the spec
// declares.
type Column struct {
	Name   string `json:"name"`
	Values string `json:"values"` // a range, categories, or the labels, in words
	Role   string `json:"role"`   // learnt from, predicted, or names the person of a row
}

// columnsOf returns the columns in a spec: the target first, the person second, then the others by name.
// shown has at most mostColumns of them, and count is the number in the spec.
func columnsOf(s *spec.Spec) (shown []Column, count int) {
	d := &s.Data
	if d.Target != "" {
		shown = append(shown, Column{d.Target, listed(d.Classes), "predicted"})
	}
	if d.Person != "" {
		shown = append(shown, Column{d.Person, "stay with the participant", "says whose a row is"})
	}
	declared := map[string]string{}
	for name, r := range d.Ranges {
		declared[name] = fmt.Sprintf("%g to %g", r[0], r[1])
	}
	for name, values := range d.Categories {
		declared[name] = listed(values)
	}
	if values, ok := declared[d.Target]; ok && d.Target != "" {
		shown[0].Values = values
		delete(declared, d.Target)
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		shown = append(shown, Column{name, declared[name], "learnt from"})
	}
	for i := range shown {
		if shown[i].Values == "" {
			shown[i].Values = "not declared"
		}
	}
	return shown[:min(len(shown), mostColumns)], len(shown)
}

// listed joins values with commas. Beyond mostValues it gives the number of the rest.
func listed(values []string) string {
	text := strings.Join(values[:min(len(values), mostValues)], ", ")
	if more := len(values) - mostValues; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
