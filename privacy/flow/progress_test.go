package flow

import (
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Whatever prices many pairs counts them up to the last, one call at a time, and gives
// the same numbers as in silence.
func TestProgressCountsToTheEnd(t *testing.T) {
	g, err := gen.Parse("er:n=40,p=0.1,connected", 1)
	if err != nil {
		t.Fatal(err)
	}
	silent := accountant(t, Problem{Rounds: 4, Weights: weightsList(t, g)})
	done, total, calls := 0, 0, 0
	a := silent.WithProgress(func(d, of int) {
		if d < done && d != 0 || of < 1 || d > of {
			t.Errorf("%d of %d after %d", d, of, done)
		}
		done, total, calls = d, of, calls+1
	})
	for name, work := range map[string]func(a *Accountant) float64{
		"cheap":   func(a *Accountant) float64 { return a.Cheap(3).At(0, 7) },
		"every":   func(a *Accountant) float64 { return a.Every(nil, 3).At(0, 7) },
		"audits":  func(a *Accountant) float64 { return a.AuditEvery(nil, 3).At(0, 7) },
		"some":    func(a *Accountant) float64 { return a.AuditSome([][2]int{{0, 7}, {3, 1}}, 3)[0] },
		"sharper": func(a *Accountant) float64 { return a.SharpenSome([][2]int{{0, 7}, {3, 1}}, 3)[0] },
		"towards": func(a *Accountant) float64 { e, _ := a.SideTowards(7, Optimum, 3); return e.Values[0] },
		"far":     func(a *Accountant) float64 { e, _ := a.SideTowards(7, OneFlow, 3); return e.Values[0] },
		"aimed":   func(a *Accountant) float64 { e, _ := a.SideTowards(7, Aim, 3); return e.Values[0] },
		"onwards": func(a *Accountant) float64 { e, _ := a.SideFrom(7, Aim, 3); return e.Values[0] },
		"from":    func(a *Accountant) float64 { e, _ := a.SideFrom(0, Optimum, 3); return e.Values[7] },
	} {
		done, total, calls = 0, 0, 0
		if got, want := work(a), work(silent); got != want {
			t.Errorf("%s: %g, in silence %g", name, got, want)
		}
		if calls < 2 || done != total {
			t.Errorf("%s: %d of %d in %d calls", name, done, total, calls)
		}
	}
}
