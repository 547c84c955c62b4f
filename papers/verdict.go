package papers

import "fmt"

// A Verdict is the result for a sentence of a paper, or of ours.
type Verdict string

// Pass and Fail say whether a claim is reproduced. Differs says that it is not, for a known and
// stated reason. Stands and Falls say whether a claim is true. They are findings, and neither
// is a failure.
const (
	Pass    Verdict = "PASS"
	Fail    Verdict = "FAIL"
	Differs Verdict = "DIFFERS"
	Stands  Verdict = "stands"
	Falls   Verdict = "does not stand"
	Skipped Verdict = "skipped" // not run
	// NotAsked is the verdict on a claim of the full version that a quick one is too small to
	// refute.
	NotAsked Verdict = "not asked"
)

// Verdict returns the verdict on one check of the study, with the reason if it differs.
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

// Judge counts verdicts and returns the worst of those that can fail.
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

// Failed lists the claims that should be reproduced or still hold, but do not.
func (s Study) Failed(f *Findings) (claims []string) {
	for _, c := range f.Checks {
		if v, _ := s.Verdict(c); v == Fail {
			claims = append(claims, fmt.Sprintf("%s: %s", c.Claim, c.Measured))
		}
	}
	return claims
}
