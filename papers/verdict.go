package papers

import "fmt"

// A Verdict is what became of a sentence of a paper, or of ours.
type Verdict string

// Pass and Fail say whether a claim came out; Differs that it does not, for a reason that
// is known and told. Stands and Falls are answers to what is true of a claim: findings,
// neither of which is a failure.
const (
	Pass    Verdict = "PASS"
	Fail    Verdict = "FAIL"
	Differs Verdict = "DIFFERS"
	Stands  Verdict = "stands"
	Falls   Verdict = "does not stand"
	Skipped Verdict = "skipped" // it was not run
	// NotAsked is that on a claim of the full version that a quick one is too little to refute.
	NotAsked Verdict = "not asked"
)

// Verdict is that on one check of the study, with the reason where it differs.
func (s Study) Verdict(c Check) (Verdict, string) {
	reason := s.differs[c.Claim]
	switch finding := c.Basis != AsPublished && c.Basis != AsRecorded; {
	case finding && c.Holds:
		return Stands, ""
	case finding:
		return Falls, ""
	case c.Holds:
		return Pass, ""
	case reason != "":
		return Differs, reason
	}
	return Fail, ""
}

// Judge counts verdicts and is the worst of those that can fail.
func (s Study) Judge(f *Findings) (worst Verdict, count map[Verdict]int) {
	worst, count = Pass, map[Verdict]int{NotAsked: len(f.NotAsked)}
	for _, c := range f.Checks {
		v, _ := s.Verdict(c)
		count[v]++
		if v == Fail || (v == Differs && worst == Pass) {
			worst = v
		}
	}
	return worst, count
}

// Failed lists the claims that should have been reproduced, or still hold, and do not.
func (s Study) Failed(f *Findings) (claims []string) {
	for _, c := range f.Checks {
		if v, _ := s.Verdict(c); v == Fail {
			claims = append(claims, fmt.Sprintf("%s: %s", c.Claim, c.Measured))
		}
	}
	return claims
}
