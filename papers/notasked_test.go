package papers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Every claim that RESULTS.md counts is known as one of a full version, under a study and a basis that there are.
func TestClaimsInFull(t *testing.T) {
	asPublished, proved := 0, 0
	for _, s := range All() {
		for _, c := range claimsInFull(s.ID) {
			switch c.Basis {
			case AsPublished, AsRecorded:
				asPublished++
			case WhatIsTrue, TrueAtDelta:
				proved++
			default:
				t.Errorf("%s: basis %q of %q", s.ID, c.Basis, c.Claim)
			}
		}
	}
	if want := fmt.Sprintf("Of %d claims, as published or as recorded here before, ", asPublished); !strings.Contains(inFull, want) {
		t.Errorf("RESULTS.md does not say %q", want)
	}
	if want := fmt.Sprintf("of %d that are asked of losses that are proved", proved); !strings.Contains(inFull, want) {
		t.Errorf("RESULTS.md does not say %q", want)
	}
}

// A quick version says of what it leaves out that it was not asked: it neither passes nor fails, and counts nowhere else.
func TestQuickVersionsSayWhatTheyDoNotAsk(t *testing.T) {
	s, err := Find("002-figure-c.2")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Make(t.Context(), "", true, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, count := r.Judge(); count[NotAsked] != 0 || len(r.Findings.Checks) != len(claimsInFull(s.ID)) {
		t.Fatalf("%v of %d claims: the full version asks %d", count, len(r.Findings.Checks), len(claimsInFull(s.ID)))
	}
	left := r.Findings.Checks[0]
	r.Findings.Checks = r.Findings.Checks[1:]
	r.Findings.noteNotAsked(s.ID)
	worst, count := r.Judge()
	last := r.Findings.NotAsked[0]
	if worst != Pass || count[NotAsked] != 1 || last.Claim != left.Claim || last.Basis != left.Basis || len(s.Failed(r.Findings)) != 0 {
		t.Errorf("%s, %v, last %+v", worst, count, last)
	}
	e := Entry{Study: s, Record: r}
	var page, summary bytes.Buffer
	if err := r.writePage(&page); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummary(&summary, []Entry{e}, "test"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), `<td class="verdict not-asked">not asked`) || !strings.Contains(summary.String(), "Not asked are 1 more") {
		t.Errorf("nothing says what was not asked: %s", &summary)
	}
}
