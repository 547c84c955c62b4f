package dossier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/spec"
)

// mostColumns is how many columns a dossier lists, and mostValues how many values of one.
const mostColumns, mostValues = 40, 12

// A Column is one of a participant's table that the spec reads, with the values that it declares in public.
type Column struct {
	Name   string `json:"name"`
	Values string `json:"values"` // in words: a range, categories, or the labels
	Role   string `json:"role"`   // learnt from, predicted, or says whose a row is
}

// columnsOf returns the columns that a spec names, the target first, then the others by name. It returns no more than
// mostColumns, and how many the spec names.
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
	return shown[:min(len(shown), mostColumns)], len(shown)
}

// listed returns values in words, of many the first.
func listed(values []string) string {
	text := strings.Join(values[:min(len(values), mostValues)], ", ")
	if more := len(values) - mostValues; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
