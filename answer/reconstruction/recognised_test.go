package reconstruction

import (
	"testing"

	"github.com/hearsay-dp/hearsay/report"
)

// What anybody would guess is not recognised, however near it is, nor what is far from the truth.
func TestRecognisedBeatsAGuess(t *testing.T) {
	for _, c := range []struct {
		psnr, guess float64
		want        bool
	}{{12, 11, true}, {12, 14, false}, {12, 12, false}, {9, -3, false}, {300, 40, true}} {
		n := Target{PSNR: report.Number(c.psnr), GuessPSNR: report.Number(c.guess)}
		if n.recognised() != c.want {
			t.Errorf("PSNR %g beside a guess of %g: recognised %v", c.psnr, c.guess, !c.want)
		}
	}
}
