package family

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

func account(name string, status report.Status, at func(u, v int) float64) Account {
	return Account{Accounted: report.Accounted{Accountant: name, Status: status, Assumptions: []string{"as " + name + " says", "noise is secret"}}, At: at}
}

// The least of several sound accounts is, pair by pair, the least of what they say; its
// claim says why that is a bound. Formulas in print and lower bounds take no part.
func TestLeastOfSoundAccountsPairByPair(t *testing.T) {
	const n = 9
	r := rand.New(rand.NewPCG(1, 2))
	table := func() func(u, v int) float64 {
		var x [n * n]float64
		for i := range x {
			x[i] = r.Float64()
		}
		return func(u, v int) float64 { return x[u*n+v] }
	}
	one, other := table(), table()
	zero := func(u, v int) float64 { return 0 }
	got := least([]Account{account("path", report.Sound, one), account("audit", report.Audit, zero), account("published", report.Published, zero),
		account("local", report.Sound, other)}, n, privacy.Metric{Delta: 1e-6})
	mean, worst := 0.0, 0.0
	for u := range n {
		for v := range n {
			want := min(one(u, v), other(u, v))
			if u != v && got.At(u, v) != want {
				t.Fatalf("(%d, %d): %g, want %g", u, v, got.At(u, v), want)
			}
			if u != v {
				mean, worst = mean+want/(n*(n-1)), max(worst, want)
			}
		}
	}
	if math.Abs(float64(got.Mean)-mean) > 1e-12 || float64(got.Max) != worst || got.Status != report.Sound || got.Accountant != "sound" {
		t.Errorf("%+v, want mean %g and max %g", got.Accounted, mean, worst)
	}
	said := strings.Join(got.Assumptions, "\n")
	for _, want := range []string{"each of them bounds the loss of that very pair", "as path says", "as local says"} {
		if !strings.Contains(said, want) {
			t.Errorf("the claim does not say %q:\n%s", want, said)
		}
	}
	if strings.Count(said, "noise is secret") != 1 || strings.Contains(said, "as audit says") {
		t.Errorf("assumptions:\n%s", said)
	}
}

// Where one sound account is the least of every pair, up to round-off, it stays what it
// is.
func TestLeastIsTheFirstWhereNoOtherIsLess(t *testing.T) {
	flow := account("flow", report.Sound, func(u, v int) float64 { return 1 })
	for name, accounts := range map[string][]Account{
		"one alone":  {flow},
		"round-off":  {flow, account("local", report.Sound, func(u, v int) float64 { return 1 - 1e-6 })},
		"no bound":   {flow, account("published", report.Published, func(u, v int) float64 { return 0 })},
		"not priced": {flow, {Accounted: report.Accounted{Accountant: "local", Status: report.Sound}}},
	} {
		if got := least(accounts, 5, privacy.Metric{Delta: 1e-6}); got.Accountant != "flow" {
			t.Errorf("%s: %+v", name, got.Accounted)
		}
	}
	published := account("published", report.Published, func(u, v int) float64 { return 1 })
	if got := least([]Account{published, flow, flow}, 5, privacy.Metric{Delta: 1e-6}); got.Accountant != "published" {
		t.Errorf("what is no bound became part of one: %+v", got.Accounted)
	}
}
