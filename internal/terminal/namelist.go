package terminal

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// NameList splits the values of a repeatable flag into names, which commas separate. A name that contains commas or quotes
// stands as it is, or in double quotes as in a CSV file. known reports whether a name exists. If some part is no known name,
// NameList returns the parts, for an error message.
func NameList(given []string, known func(string) bool) (names []string) {
	for _, text := range given {
		names = append(names, namesIn(text, known)...)
	}
	return names
}

// namesIn returns the names in one text: those that a CSV reader finds, or else those made of its parts between commas.
func namesIn(text string, known func(string) bool) []string {
	quoted, err := csv.NewReader(strings.NewReader(text)).Read()
	if err == nil && !slices.ContainsFunc(quoted, func(name string) bool { return !known(name) }) {
		return quoted
	}
	parts := strings.Split(text, ",")
	if names := joined(parts, known); names != nil {
		return names
	}
	if err == nil {
		return quoted
	}
	return parts
}

// mostCommas is the largest number of commas in a name without quotes.
const mostCommas = 16

// joined joins parts that commas separated to known names, the longest possible first. It returns nil if that is impossible.
func joined(parts []string, known func(string) bool) []string {
	from := make([][]string, len(parts)+1) // the names of the parts from there on
	from[len(parts)] = []string{}
	for i := len(parts) - 1; i >= 0; i-- {
		for end := min(len(parts), i+mostCommas+1); end > i && from[i] == nil; end-- {
			if name := strings.Join(parts[i:end], ","); from[end] != nil && known(name) {
				from[i] = append([]string{name}, from[end]...)
			}
		}
	}
	return from[0]
}

// Listed returns names side by side. The separator occurs in no name: a blank, else a comma, else a semicolon. Of more than
// most names it lists most and the number of the others.
func Listed(names []string, most int) string {
	between := " "
	for _, name := range names {
		switch {
		case strings.Contains(name, ","):
			between = "; "
		case strings.ContainsAny(name, " \t") && between == " ":
			between = ", "
		}
	}
	if len(names) <= most {
		return strings.Join(names, between)
	}
	return strings.Join(append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most)), between)
}
