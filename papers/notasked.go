package papers

import (
	_ "embed"
	"strings"
)

// inFull holds the results of the full version of every study.
//
//go:embed RESULTS.md
var inFull string

// claimsInFull returns the claims that the full version of a study checks.
func claimsInFull(id string) (claims []Check) {
	_, section, _ := strings.Cut(inFull, "\n## "+id+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		text, isClaim := strings.CutPrefix(line, "- ")
		text, _, judged := strings.Cut(text, ": **")
		if basis, claim, _ := strings.Cut(text, ", "); isClaim && judged {
			claims = append(claims, Check{Claim: claim, Basis: Basis(basis)})
		}
	}
	return claims
}

// noteNotAsked records the claims of the full version that a quick one does not
// check.
func (f *Findings) noteNotAsked(id string) {
	type asked struct {
		claim string
		basis Basis
	}
	seen := map[asked]bool{}
	for _, c := range f.Checks {
		seen[asked{c.Claim, c.Basis}] = true
	}
	for _, c := range claimsInFull(id) {
		if !seen[asked{c.Claim, c.Basis}] {
			c.Measured = "the quick version leaves it out; the full one asks it"
			f.NotAsked = append(f.NotAsked, c)
		}
	}
}
