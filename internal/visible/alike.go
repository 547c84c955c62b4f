package visible

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// looks maps letters and digits to others that they resemble: Latin ones, and Cyrillic and Greek letters drawn like Latin ones
// (Unicode Technical Standard 39 has many more).
var looks = strings.NewReplacer(
	"rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "|", "l", "5", "s", "8", "b", "_", "-", ".", "-", " ", "-",
	"а", "a", "в", "b", "е", "e", "к", "k", "м", "m", "н", "h", "о", "o", "р", "p", "с", "c", "т", "t", "у", "y", "х", "x", "ѕ", "s", "і", "l", "ј", "j", "ԁ", "d",
	"α", "a", "β", "b", "ε", "e", "η", "n", "ι", "l", "κ", "k", "μ", "m", "ν", "v", "ο", "o", "ρ", "p", "τ", "t", "υ", "u", "χ", "x", "γ", "y", "ω", "w",
	"\u00ad", "", "\u200b", "", "\u200c", "", "\u200d", "", "\ufeff", "",
)

// Alike returns the pairs of names that look alike. Each name is paired with the first name before it that is drawn nearly the
// same. Equal names are no pair.
func Alike(names []string) (pairs [][2]string) {
	first := map[string]string{}
	for _, name := range names {
		drawn := looks.Replace(strings.ToLower(norm.NFKC.String(name)))
		if other, taken := first[drawn]; taken && other != name {
			pairs = append(pairs, [2]string{other, name})
		} else if !taken {
			first[drawn] = name
		}
	}
	return pairs
}

// AlikeNote returns a note on names that look alike, "" if there are none.
func AlikeNote(names []string) string {
	pairs := Alike(names)
	if len(pairs) == 0 {
		return ""
	}
	var text strings.Builder
	for i, p := range pairs[:min(len(pairs), mostAlike)] {
		if i > 0 {
			text.WriteString("; ")
		}
		text.WriteString("“" + p[0] + "” and “" + p[1] + "”")
	}
	if len(pairs) > mostAlike {
		text.WriteString("; and others")
	}
	return "Names look alike, and may be meant to: " + text.String() + ". Tell participants by their keys."
}

// mostAlike is the largest number of pairs in a note.
const mostAlike = 5
