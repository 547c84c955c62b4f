package sweep

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/spread"
)

// Telling returns a function that describes how the kind of a row's losses differs from the kinds of the other rows. It
// returns "" if all rows have the same kind.
func Telling(rows []Row) func(Row) string {
	parts := func(k kind) []string {
		model := "model not covered"
		if k.covers {
			model = "model covered"
		}
		return []string{k.metric, string(k.status), k.unit, k.observer, model}
	}
	var first []string
	differs := make([]bool, 5)
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		own := parts(r.kind())
		if first == nil {
			first = own
		}
		for i := range own {
			differs[i] = differs[i] || own[i] != first[i]
		}
	}
	return func(r Row) string {
		var telling []string
		for i, part := range parts(r.kind()) {
			if differs[i] {
				telling = append(telling, part)
			}
		}
		return strings.Join(telling, ", ")
	}
}

// Caption returns the notes that must stand with the numbers of a sweep.
func Caption(rows []Row) (notes []string) {
	kinds := kindsOf(rows)
	for _, k := range kinds {
		notes = append(notes, "Losses are "+k+".")
	}
	if len(kinds) > 1 {
		notes = append(notes, "Losses of these kinds are not to be compared with one another.")
	}
	said := map[string]bool{}
	for _, r := range rows {
		if r.Error != "" || r.Varies == "" {
			continue
		}
		runs, what := r.averaged()
		note := fmt.Sprintf("Scores are means of %d %s, which differ in %s; intervals are of the mean, at 95 %%.", runs, what, r.Varies)
		if caution := spread.Caution(runs, 1); caution != "" {
			note += " " + caution
		}
		if !said[note] {
			said[note] = true
			notes = append(notes, note)
		}
	}
	return notes
}

// averaged returns how many runs a row's means are of, and the word for them.
func (r Row) averaged() (runs int, what string) {
	if r.Repeats == 1 {
		return r.Trials, "trials"
	}
	return r.Repeats, "repeats"
}

// ScoreName returns the name of the score of rows.
func ScoreName(rows []Row) string {
	kind, of := "loss", "test"
	for _, r := range rows {
		if r.Error == "" && r.Classifies {
			kind = "accuracy"
		}
		if r.Validated {
			of = "validation"
		}
	}
	return of + " " + kind
}

// pickedOf returns the warning for a reader who picks a setting from a table.
func pickedOf(rows []Row) string {
	if strings.HasPrefix(ScoreName(rows), "validation") {
		return "Scores are of rows kept from the training part: run the setting that you pick without data.validation, on test rows that nobody has looked at. Where rows are participants' own, no privacy loss here covers that choice."
	}
	return picked
}

// picked warns a reader who picks a setting from a table.
const picked = "Scores are of test rows: a setting that is picked by them is flattered by them, and where rows are participants' own, no privacy loss here covers that choice."
