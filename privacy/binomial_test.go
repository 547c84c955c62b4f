package privacy

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// simpleTail adds the probabilities of k..trials in exact arithmetic.
func simpleTail(trials int, p float64, k int) float64 {
	const bits = 400
	hit, miss := big.NewFloat(p).SetPrec(bits), new(big.Float).SetPrec(bits).Sub(big.NewFloat(1), big.NewFloat(p))
	power := func(x *big.Float, n int) *big.Float {
		y := big.NewFloat(1).SetPrec(bits)
		for range n {
			y.Mul(y, x)
		}
		return y
	}
	sum := new(big.Float).SetPrec(bits)
	for j := max(k, 0); j <= trials; j++ {
		term := new(big.Float).SetPrec(bits).SetInt(new(big.Int).Binomial(int64(trials), int64(j)))
		term.Mul(term, power(hit, j))
		sum.Add(sum, term.Mul(term, power(miss, trials-j)))
	}
	x, _ := sum.Float64()
	return x
}

func TestBinomialTailEqualsItsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.IntRange(0, 200).Draw(t, "trials")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		k := rapid.IntRange(-1, trials+1).Draw(t, "k")
		want, got := simpleTail(trials, p, k), BinomialTail(trials, p, k)
		if math.Abs(got-want) > 1e-10*want+1e-300 {
			t.Fatalf("P(B(%d, %g) >= %d) = %g, want %g", trials, p, k, got, want)
		}
	})
}

// Large counts, against the sum of the law itself.
func TestBinomialTailOfLargeCounts(t *testing.T) {
	for _, c := range []struct {
		trials int
		p      float64
		k      int
	}{{1_000_000, 1e-3, 1200}, {1_000_000, 0.5, 502_000}, {40_000, 1.0 / 400, 180}} {
		sum := logSum{math.Inf(-1), 0}
		for j := c.k; j < c.k+4000; j++ {
			sum.add(LogBinomial(c.trials, c.p, j))
		}
		if got := math.Log(BinomialTail(c.trials, c.p, c.k)); math.Abs(got-sum.value()) > 1e-6 {
			t.Errorf("%+v: ln %g, want %g", c, got, sum.value())
		}
	}
}

func TestBinomialUpperIsTheSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.IntRange(0, 300).Draw(t, "trials")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		delta := math.Exp(rapid.Float64Range(-40, -0.1).Draw(t, "ln delta"))
		k := BinomialUpper(trials, p, delta)
		if tail := BinomialTail(trials, p, k+1); tail > delta {
			t.Fatalf("more than %d has probability %g", k, tail)
		}
		if k > 0 && BinomialTail(trials, p, k) <= delta {
			t.Fatalf("%d is enough already", k-1)
		}
	})
}

func TestChernoffHoldsInItsRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.IntRange(1, 3000).Draw(t, "trials")
		p := rapid.Float64Range(0.001, 1).Draw(t, "p")
		delta := math.Exp(rapid.Float64Range(-20, -0.01).Draw(t, "ln delta"))
		upper, err := ChernoffUpper(float64(trials)*p, delta)
		if err != nil {
			return
		}
		if tail := BinomialTail(trials, p, int(math.Ceil(upper))); tail > delta {
			t.Fatalf("B(%d, %g) reaches %g with probability %g above %g", trials, p, upper, tail, delta)
		}
	})
}

// Where the relative deviation would be above 1 the inequality is false: it
// promises at most 2.7 visits but for 1e-10, and three have probability 1.5e-4.
func TestChernoffFailsBeyondItsRange(t *testing.T) {
	mean, delta := 0.1, 1e-10
	if _, err := ChernoffUpper(mean, delta); err == nil {
		t.Fatal("accepted")
	}
	printed := mean + math.Sqrt(-3*mean*math.Log(delta))
	if tail := BinomialTail(100_000, mean/100_000, int(math.Ceil(printed))); tail < 1000*delta {
		t.Errorf("more than %g has probability %g", printed, tail)
	}
	if count, how := CountUpper(100_000, mean/100_000, delta); how == "Chernoff" || BinomialTail(100_000, mean/100_000, int(count)+1) > delta {
		t.Errorf("%g by %s", count, how)
	}
}
