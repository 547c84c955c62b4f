package fault

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DidYouMean asks whether the known word nearest to an unknown one was meant, for a hint. It returns "" if none is near: at most
// half of the letters may differ, and a number is near to none. Case does not count. Of words as near it prefers one of the same length, because letters are
// mistaken more often than left out, and then the first.
func DidYouMean(unknown string, known []string) string {
	best, fewest := "", utf8.RuneCountInString(unknown)/2+1
	long := func(word string) bool { return utf8.RuneCountInString(word) == utf8.RuneCountInString(unknown) }
	for _, word := range known {
		if n := edits([]rune(strings.ToLower(unknown)), []rune(strings.ToLower(word))); n < fewest || n == fewest && best != "" && long(word) && !long(best) {
			best, fewest = word, n
		}
	}
	if _, err := strconv.Atoi(unknown); best == "" || err == nil {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// edits returns the Levenshtein distance of two words.
func edits(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
