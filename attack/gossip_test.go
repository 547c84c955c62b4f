package attack

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// Who is reconstructed and every relation are those of elimination in fractions
// of any length: the reduced row-echelon form is unique.
func TestAlgorithm41EqualsExactElimination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, 9, 8)
		g, err := NewGossip(c.averaging, c.attackers)
		if err != nil {
			t.Fatal(err)
		}
		relations, err := g.Relations()
		if err != nil {
			t.Fatal(err)
		}
		form := simpleReduce(simpleKnowledge(c.ws, c.n, c.attackers), c.n)
		if g.View.Rank() != len(form) {
			t.Fatalf("rank %d, want %d", g.View.Rank(), len(form))
		}
		reconstructed, ties := []int{}, 0
		for _, row := range form {
			nodes := support(row)
			if len(nodes) == 1 {
				reconstructed = append(reconstructed, nodes[0])
				continue
			}
			ties++
			k := slices.IndexFunc(relations, func(r Relation) bool { return r.Nodes[0] == nodes[0] })
			if k < 0 || !slices.Equal(relations[k].Nodes, nodes) {
				t.Fatalf("no relation %v among %v", nodes, relations)
			}
			for i, u := range nodes {
				if q := relations[k].Coefficients; q != nil && q[i].String() != row[u].RatString() {
					t.Fatalf("coefficient %v of %d, want %v", q[i], u, row[u])
				}
			}
			if short := allShort(row); short != (relations[k].Coefficients != nil) {
				t.Fatalf("coefficients %v, found %v", row, relations[k].Coefficients)
			}
		}
		if slices.Sort(reconstructed); !slices.Equal(g.Reconstructed(), reconstructed) || len(relations) != ties {
			t.Fatalf("reconstructed %v, want %v; %d relations, want %d", g.Reconstructed(), reconstructed, len(relations), ties)
		}
	})
}

// allShort reports whether no fraction of a row has a numerator or denominator
// of more than 30 bits.
func allShort(row []*big.Rat) bool {
	return !slices.ContainsFunc(row, func(x *big.Rat) bool { return x.Num().BitLen() > 30 || x.Denom().BitLen() > 30 })
}

// Every fraction with a numerator and a denominator below 2^30 comes back from
// its residues.
func TestSmallFractionsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numerator := rapid.Int64Range(-mostSmall, mostSmall).Draw(t, "numerator")
		denominator := rapid.Int64Range(1, mostSmall).Draw(t, "denominator")
		var residues [2]uint64
		for k, f := range exact.Fields() {
			residues[k] = f.Fraction(numerator, denominator)
		}
		q, ok := small(residues)
		divisor := gcd(max(numerator, -numerator), denominator)
		if want := (Fraction{numerator / divisor, denominator / divisor}); !ok || q != want {
			t.Fatalf("%v, %v; want %v", q, ok, want)
		}
		if _, ok := small([2]uint64{residues[0] ^ 1, residues[1]}); ok {
			t.Fatal("residues that contradict each other passed")
		}
	})
}

// BASELINES: a line with the attacker at its end gives away one node more a
// round, until all are.
func TestLineOf31(t *testing.T) {
	for steps := range 34 {
		averaging, _ := named(t, "line:31", steps)
		g := newGossip(t, averaging, 0)
		if got, want := len(g.Reconstructed()), min(31, steps+1); got != want || g.Reconstructed()[got-1] != want-1 {
			t.Errorf("%d rounds: %v", steps, g.Reconstructed())
		}
		if far := g.Unheard(); len(far) != max(0, 30-steps) {
			t.Errorf("%d rounds: nothing heard of %v", steps, far)
		}
	}
}

// BASELINES: every single attacker of the Florentine graph, T = 15.
func TestFlorentine(t *testing.T) {
	averaging, _ := named(t, "florentine", 15)
	each, err := EachGossip(averaging, 2)
	if err != nil {
		t.Fatal(err)
	}
	for v, e := range each {
		if len(e.Reconstructed) != 15 || e.Rank != 15 || !e.Exact {
			t.Errorf("attacker %d: %+v", v, e)
		}
	}
}

func TestEachIgnoresTheNumberOfWorkers(t *testing.T) {
	averaging, _ := named(t, "er:n=30,p=0.12,seed=5", 6)
	one, err := EachGossip(averaging, 1)
	if err != nil {
		t.Fatal(err)
	}
	many, err := EachGossip(averaging, 4)
	if err != nil || !reflect.DeepEqual(one, many) {
		t.Errorf("%v; %v, %v", err, one, many)
	}
}

// The bisection finds the same rounds as a search over every number of rounds.
func TestRoundsEqualTheLongSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, 10, 8)
		g, err := NewGossip(c.averaging, c.attackers)
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Rounds()
		if err != nil {
			t.Fatal(err)
		}
		want, counts := Rounds{Contacts: c.steps, All: c.steps}, make([]int, c.steps+1)
		for steps := range counts {
			shorter, err := NewGossip(c.averaging.After(steps), c.attackers)
			if err != nil {
				t.Fatal(err)
			}
			counts[steps] = len(shorter.Reconstructed())
		}
		want.All = slices.Index(counts, counts[c.steps])
		if more := slices.IndexFunc(counts, func(k int) bool { return k > len(c.attackers)+g.Contacts() }); more >= 0 {
			want.Contacts = more - 1
		}
		if got != want {
			t.Fatalf("%+v, want %+v: %v", got, want, counts)
		}
	})
}

// With noise, the best estimate of those who know all other values is unbiased
// and has variance sigma^2/leakage. Over 3000 draws the squared errors have
// their law: 15 nodes at 4.9 standard deviations, for the mean and for the mean
// square, give a false alarm with fewer than 1 of 10^4 seeds.
func TestBestEstimateHasVarianceSigmaSquaredOverLeakage(t *testing.T) {
	const sigma, draws, worst = 0.7, 3000, 4.9
	averaging, w := named(t, "florentine", 4)
	g := newGossip(t, averaging, 0)
	ws := slices.Repeat([]*sparse.Matrix{w}, 4)
	rng := rand.New(rand.NewPCG(11, 12))
	truth := drawNumbers(rng, w.N, 1)
	sums, squares := make([]float64, w.N), make([]float64, w.N)
	for range draws {
		noisy := drawNumbers(rng, w.N, 1)
		for u := range noisy {
			noisy[u][0] = truth[u][0] + sigma*noisy[u][0]
		}
		values, err := g.Values(averaged(ws, noisy, g.Attackers, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		for u := range w.N {
			estimate, err := g.BestEstimate(values, u, truth)
			if err != nil {
				t.Fatal(err)
			}
			off := (estimate[0] - truth[u][0]) * math.Sqrt(g.View.Leakage(u)) / sigma
			sums[u] += off
			squares[u] += off * off
		}
	}
	partial := 0
	for u := range w.N {
		if g.View.Leakage(u) < 0.9 {
			partial++
		}
		if z := sums[u] / math.Sqrt(draws); math.Abs(z) > worst {
			t.Errorf("node %d: the mean error is %.2f standard deviations from 0", u, z)
		}
		if z := (squares[u] - draws) / math.Sqrt(2*draws); math.Abs(z) > worst {
			t.Errorf("node %d, leakage %.3g: the mean square error is %.2f standard deviations from sigma^2/leakage", u, g.View.Leakage(u), z)
		}
	}
	if partial < 10 {
		t.Errorf("only %d nodes are not reconstructed: choose fewer steps", partial)
	}
}

func BenchmarkEachOf348(b *testing.B) {
	for _, steps := range []int{9, 50, 100} {
		b.Run("T"+strconv.Itoa(steps), func(b *testing.B) {
			averaging, _ := on(b, facebook(b, "348.edges"), steps)
			for b.Loop() {
				if _, err := EachGossip(averaging, 2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOneOf4039(b *testing.B) {
	for _, steps := range []int{8, 20, 50, 100} {
		b.Run("T"+strconv.Itoa(steps), func(b *testing.B) {
			w := facebook(b, "facebook_combined.txt")
			for b.Loop() {
				averaging, _ := on(b, w, steps)
				newGossip(b, averaging, 0).Reconstructed()
			}
		})
	}
}
