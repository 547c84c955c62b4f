package cells

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
)

// A result that is another one at home is not accepted, where its cell is drawn; every true one is.
func TestInventedResultsAreFoundOut(t *testing.T) {
	truth := &report.Result{Steps: 8}
	truth.Privacy.Sigma, truth.Privacy.Mean = 2, 0.3
	text, err := json.Marshal(truth)
	if err != nil {
		t.Fatal(err)
	}
	slower := *truth
	slower.WallSeconds, slower.StepsPerSecond = 12, 7
	late, err := json.Marshal(&slower)
	if err != nil {
		t.Fatal(err)
	}
	invented := *truth
	invented.Privacy.Mean = report.Number(math.Nextafter(0.3, 0)) // the last bit
	lie, err := json.Marshal(&invented)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer   []byte
		draw     float64
		broken   bool // cannot be run here
		accepted bool
	}{{text, 0.05, false, true}, {late, 0.05, false, true}, {lie, 0.05, false, false}, {lie, 0.5, false, true}, {text, 0.05, true, false}, {[]byte("{"), 0.05, false, true}} {
		accepted := false
		err := Verify(func(int, string, []byte) error { accepted = true; return nil }, 0.1, func() float64 { return c.draw }, func(int) (*report.Result, error) {
			if c.broken {
				return nil, errors.New("no")
			}
			return truth, nil
		})(4, "w", c.answer)
		if accepted != c.accepted || (err == nil) != c.accepted || err != nil && fault.Hint(err) == "" {
			t.Errorf("%s drawn at %g: accepted %v, %v", c.answer[:1], c.draw, accepted, err)
		}
	}
}
