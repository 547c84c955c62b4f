package terminal

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// NameList takes apart what a flag was given, any number of times: names with commas between them. A name that has
// commas or quotes itself stands as it is, or in double quotes as in a CSV file; known says which names there are.
// What nobody knows comes back in parts, for a message.
func NameList(given []string, known func(string) bool) (names []string) {
	for _, text := range given {
		names = append(names, namesIn(text, known)...)
	}
	return names
}

// namesIn is the names of one text, which a CSV reader finds, or else which its parts between commas make.
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

// mostCommas is how many commas a name may have that is in no quotes.
const mostCommas = 16

// joined puts parts together again that commas have separated, to the longest names that leave names; nil if they are none.
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

// Listed is names side by side, which nothing tells apart but what none of them has: blanks, else commas, else semicolons.
// Of more than most, that many and how many are left.
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
