package experiment

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Losses in further metrics are those of the same run priced in that metric: of every kind, accountant and pair. Every kind has its
// sound accountant by privacy.accountant: sound, too.
func TestFurtherMetricsAreThoseOfAnotherPricing(t *testing.T) {
	files, err := filepath.Glob("../examples/kinds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		kind := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if testing.Short() && kind != "gossip-gd" && kind != "walk" {
			continue // pricing takes long under the race detector
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, err := Load(file, "privacy.accountant=sound")
			if err != nil {
				t.Fatal(err)
			}
			s.Report.Deltas = []float64{s.Privacy.Metric.Delta, 1e-4}
			first := prepare(t, s)
			checkSound(t, s, first)
			again := *first.Spec // in which noise that follows from the metric stands as it was
			again.Report.Deltas, again.Privacy.Calibrate, again.Privacy.Sigma, again.Privacy.Metric = nil, nil, &first.Accounting.Sigma, spec.Metric{Delta: 1e-4}
			second := prepare(t, &again)
			for _, a := range first.Accounting.Accounts {
				compared := func(k int, at func(u, v int) float64, most float64) {
					for u := range first.Spec.Nodes {
						for v := range first.Spec.Nodes {
							want, got := at(u, v), a.Restated[k].At(u, v)
							if u != v && math.Abs(got-want) > most*want && !(math.IsNaN(got) && math.IsNaN(want)) {
								t.Fatalf("%s from %d towards %d: %v, priced in that metric %v", a.Accountant, u, v, got, want)
							}
						}
					}
				}
				if len(a.Restated) == 0 && a.Status != report.Sound {
					continue
				}
				if len(a.Restated) != 2 || len(a.Also) != 2 || a.Also[1].Delta != 1e-4 {
					t.Fatalf("%s: %d metrics, %+v", a.Accountant, len(a.Restated), a.Also)
				}
				compared(0, a.At, 1e-9)
				if k := slices.IndexFunc(second.Accounting.Accounts, func(b family.Account) bool { return b.Accountant == a.Accountant }); k >= 0 {
					compared(1, second.Accounting.Accounts[k].At, 1e-5)
				}
			}
		})
	}
}
