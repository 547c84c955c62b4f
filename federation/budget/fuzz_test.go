package budget

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// Whatever a book's file holds, reading it ends with an error or with lines that add up to a number, and that are written as they were read.
func FuzzALineIsReadOrRefused(f *testing.F) {
	some := run(1)
	curve := begun(run(2), 3)
	curve.One = Curve(0.5, func(order float64) float64 { return order / 5 })
	for _, lines := range [][]Line{nil, {}, {some}, {some, curve}} {
		text, err := json.Marshal(lines)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{`[{}]`, `[{"federation":"x","spec":"00"}]`, `[] []`, `{"a":1}`, `[{"one":{"mu_squared":-1}}]`, `[{"one":{"moments":[1]}}]`, `[{"one":{"mu_squared":1e309}}]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := parse(text)
		if err != nil {
			return
		}
		var all []Loss
		for _, l := range lines {
			all = append(all, l.One, l.All)
		}
		if eps := Sum(all...).At(1e-6); math.IsNaN(eps) || eps < 0 {
			t.Fatalf("it comes to %g", eps)
		}
		again, err := json.Marshal(lines)
		if err != nil {
			t.Fatal(err)
		}
		read, err := parse(again)
		if err != nil || !slices.EqualFunc(read, lines, func(a, b Line) bool {
			return a.Spec == b.Spec && a.One.MuSquared == b.One.MuSquared && a.Signed.Equal(b.Signed)
		}) {
			t.Fatalf("%v: read %+v, then %+v", err, lines, read)
		}
	})
}
