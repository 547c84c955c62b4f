package fault

import "testing"

// A word is found although its case, an accent or less than half of its letters differ.
func TestNearestWordIsMeant(t *testing.T) {
	known := []string{"Zoë", "lyon", "Hôpital Saint-Louis", "clip", "step", "steps", "noise", "18"}
	for unknown, want := range map[string]string{
		"Zoe": `did you mean "Zoë"?`, "LYON": `did you mean "lyon"?`, "hopital saint-louis": `did you mean "Hôpital Saint-Louis"?`,
		"stips": `did you mean "steps"?`, "Zoe\u0308": `did you mean "Zoë"?`, "sleep": `did you mean "step"?`, "": "", "17": "", "rome": "",
	} {
		if got := DidYouMean(unknown, known); got != want {
			t.Errorf("%q: %s, want %s", unknown, got, want)
		}
	}
}
