package spec

import (
	"strings"
	"testing"
)

// A record's name is a word or two in any script, of at most 40 letters however many bytes they take.
func TestRecordNames(t *testing.T) {
	for _, good := range []string{"patient", "Bürgerin", "visit 2", "3rd visit", "l'élève", "患者", strings.Repeat("é", 40)} {
		if !isRecordName(good) {
			t.Errorf("%q is a name", good)
		}
	}
	for _, bad := range []string{"", " patient", "-x", "a\nb", "a\n", "a<b", "a\xff", strings.Repeat("é", 41)} {
		if isRecordName(bad) {
			t.Errorf("%q is no name", bad)
		}
	}
}
