package papers

import (
	"regexp"
	"slices"
	"strings"
)

// numbered matches a number such as 6.1a, C.2, 4.4(b) or 3. The part follows the number.
var numbered = regexp.MustCompile(`^((?:[a-z]\.)?[0-9]+(?:\.[0-9]+)?)\(?([a-z]?)\)?[,;.]?$`)

// A place is a figure or a table of a paper, by number.
type place struct{ paper, kind, number, part string }

// places returns the places in a study's source: "002 Figures 4.4(a) and 4.6; 001 Table 3".
func (s Study) places() (all []place) {
	for _, clause := range strings.Split(s.Source, ";") {
		paper, kind := "", ""
		for k, word := range strings.Fields(strings.ToLower(clause)) {
			word = strings.TrimRight(word, ",.")
			switch {
			case k == 0:
				paper = word
			case kindOf(word) != "":
				kind = kindOf(word)
			case kind != "" && numbered.MatchString(word):
				m := numbered.FindStringSubmatch(word)
				all = append(all, place{paper, kind, m[1], m[2]})
			case word != "and":
				kind = ""
			}
		}
	}
	return all
}

func kindOf(word string) string {
	switch strings.TrimRight(word, "s.") {
	case "figure", "fig":
		return "figure"
	case "table", "tab":
		return "table"
	}
	return ""
}

// placeIn extracts a figure or a table by number from words: "muffliato figure 1" is the place figure 1 and the word
// muffliato.
func placeIn(words []string) (p place, rest []string, some bool) {
	for k := 0; k < len(words); k++ {
		kind := kindOf(strings.ToLower(words[k]))
		if kind != "" && !some && k+1 < len(words) {
			if m := numbered.FindStringSubmatch(strings.ToLower(words[k+1])); m != nil {
				p, some = place{kind: kind, number: m[1], part: m[2]}, true
				k++
				continue
			}
		}
		rest = append(rest, words[k])
	}
	return p, rest, some
}

// isPaper reports whether a word is the number of a paper.
func isPaper(word string) bool { _, ok := names[word]; return ok }

// shows reports whether the study shows a place. All words must be in the name of the paper or in the title of the
// study.
func (s Study) shows(p place, words []string) bool {
	return slices.ContainsFunc(s.places(), func(own place) bool {
		if own.kind != p.kind || own.number != p.number || p.part != "" && own.part != "" && own.part != p.part {
			return false
		}
		text := strings.ToLower(names[own.paper] + " " + s.Title)
		missing := func(w string) bool {
			return w != own.paper && (isPaper(w) || !strings.Contains(text, strings.ToLower(w)))
		}
		return !slices.ContainsFunc(words, missing)
	})
}
