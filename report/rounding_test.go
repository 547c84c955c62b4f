package report

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// parsed undoes powers.
func parsed(t interface{ Fatalf(string, ...any) }, text string) float64 {
	plain := strings.NewReplacer("×10", "e", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
		"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9").Replace(text)
	if strings.HasPrefix(text, "10⁻") || strings.HasPrefix(text, "10") && strings.ContainsAny(text, "⁰¹²³⁴⁵⁶⁷⁸⁹") {
		plain = "1e" + plain[2:]
	}
	x, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		t.Fatalf("%q is not a number: %v", text, err)
	}
	return x
}

func TestBoundStaysOnTheTrueSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := math.Pow(10, rapid.Float64Range(-30, 12).Draw(t, "exponent"))
		for _, status := range []Status{Published, Sound, Audit} {
			shown := parsed(t, bound(eps, status))
			if status == Audit && shown > eps || status != Audit && shown < eps {
				t.Fatalf("%s loss %v is shown as %v", status, eps, shown)
			}
			if math.Abs(shown-eps) > 0.00101*eps {
				t.Fatalf("%s loss %v is shown as %v, more than one unit of the last digit away", status, eps, shown)
			}
		}
	})
}

func TestBoundText(t *testing.T) {
	for _, c := range []struct {
		eps    float64
		status Status
		want   string
	}{
		{0, Sound, "0"}, {1, Sound, "1"}, {1 + 1e-12, Sound, "1.001"}, {1.0001, Sound, "1.001"}, {1.0009, Audit, "1"}, {9.9999, Sound, "10"},
		{12345, Sound, "12350"}, {0.00012345, Sound, "0.0001235"}, {0.0000123401, Sound, "1.235×10⁻⁵"}, {math.Inf(1), Sound, "∞"}, {1e-6, Published, "10⁻⁶"},
	} {
		if got := bound(c.eps, c.status); got != c.want {
			t.Errorf("bound(%v, %s) = %q, want %q", c.eps, c.status, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 11264: "11 264", -1000: "-1 000", -100: "-100", 4192256: "4 192 256"} {
		if got := strings.ReplaceAll(count(n), "\u202f", " "); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestNumberWithoutBoundIsNeverSmall(t *testing.T) {
	text, err := json.Marshal(Privacy{Accounted: Accounted{Mean: Number(math.Inf(1)), Max: nan}})
	if err != nil {
		t.Fatal(err)
	}
	var back Privacy
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(float64(back.Mean), 1) || !math.IsInf(float64(back.Max), 1) {
		t.Errorf("read back mean %v and max %v of %s", back.Mean, back.Max, text)
	}
}

func FuzzResultJSON(f *testing.F) {
	short := fakeResult("seed", 4, 3)
	short.Curve, short.Trials = short.Curve[:1], short.Trials[:1]
	for _, r := range []*Result{{}, short} {
		text, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"trials":[{"model":[null,1e308,-0]}],"privacy":{"mean":null}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Result
		if json.Unmarshal(text, &r) != nil {
			return
		}
		again, err := json.Marshal(&r)
		if err != nil {
			t.Fatalf("a result that was read cannot be written: %v", err)
		}
		if err := json.Unmarshal(again, new(Result)); err != nil {
			t.Fatalf("a result that was written cannot be read: %v", err)
		}
	})
}

// A loss in a table is the least decimal of seven digits that is not below it,
// for an audit the largest not above it; the second implementation looks for it
// among exact fractions.
func TestTablesRoundLossesOutward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := math.Pow(10, rapid.Float64Range(-300, 300).Draw(t, "exponent")) * rapid.Float64Range(1, 10).Draw(t, "mantissa")
		status := rapid.SampledFrom([]Status{Published, Sound, Audit}).Draw(t, "status")
		got := outward(eps, lossDigits, status)
		if want := outwardSlowly(eps, status); got != want {
			t.Fatalf("%s loss %v is written as %v, want %v", status, eps, got, want)
		}
		if text := string(appendLoss(nil, eps, status)); len(strings.TrimLeft(strings.Split(text, "e")[0], ",0.")) > 8 {
			t.Fatalf("%v is written as %s", eps, text)
		}
	})
	for eps, want := range map[float64]string{0: ",0", 1: ",1", 0.1: ",0.1", math.Inf(1): ",inf", math.MaxFloat64: ",inf", 1.00000001: ",1.000001",
		9.99999991: ",10"} {
		if got := string(appendLoss(nil, eps, Sound)); got != want {
			t.Errorf("%v is written as %s, want %s", eps, got, want)
		}
	}
}

// outwardSlowly scales eps to an integer of seven digits without rounding, and
// rounds that.
func outwardSlowly(eps float64, status Status) float64 {
	scaled, power := new(big.Rat).SetFloat64(eps), 0
	ten, low, high := big.NewRat(10, 1), big.NewRat(1e6, 1), big.NewRat(1e7, 1)
	for ; scaled.Cmp(low) < 0; power-- {
		scaled.Mul(scaled, ten)
	}
	for ; scaled.Cmp(high) >= 0; power++ {
		scaled.Quo(scaled, ten)
	}
	units := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	below := decimal(units, power)
	above := decimal(new(big.Int).Add(units, big.NewInt(1)), power)
	switch {
	case status != Audit && below < eps, status == Audit && above <= eps:
		return above
	}
	return below
}

func decimal(units *big.Int, power int) float64 {
	x, _ := strconv.ParseFloat(units.String()+"e"+strconv.Itoa(power), 64)
	return x
}
