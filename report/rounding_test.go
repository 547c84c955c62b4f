package report

import (
	"encoding/json"
	"math"
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
			if status == Audit && shown > eps*(1+2*slack) || status != Audit && shown < eps*(1-2*slack) {
				t.Fatalf("%s loss %v is shown as %v", status, eps, shown)
			}
			if math.Abs(shown-eps) > 0.0101*eps {
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
		{0, Sound, "0"}, {1, Sound, "1"}, {1 + 1e-12, Sound, "1"}, {1.001, Sound, "1.01"}, {1.009, Audit, "1"},
		{9.999, Sound, "10"}, {0.000012341, Sound, "1.24×10⁻⁵"}, {math.Inf(1), Sound, "∞"}, {1e-6, Published, "10⁻⁶"},
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
