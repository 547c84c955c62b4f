package walkpath

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/schedule"
)

// audit <= path <= local on small random walks, at random noise and orders,
// with the path revealed and hidden, the final token released or not.
func TestAuditIsBelowPathIsBelowLocal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		w.Final = rapid.Bool().Draw(t, "final")
		sigma := math.Exp(rapid.Float64Range(-0.7, 2).Draw(t, "ln sigma"))
		alpha := 1 + math.Exp(rapid.Float64Range(-2, 2).Draw(t, "ln (alpha-1)"))
		eps := math.Exp(rapid.Float64Range(-3, 2).Draw(t, "ln eps"))
		audit, err := w.AuditLaw(u, v)
		if err != nil {
			t.Fatal(err)
		}
		path, err := w.Law(u, v)
		if err != nil {
			t.Fatal(err)
		}
		local := localLaw(w.Most(), "")
		ordered := func(what string, a, p, l float64) {
			const slack = 1 + 1e-9
			if !(a <= p*slack+1e-12 && p <= l*slack) {
				t.Fatalf("%+v (%d,%d) %s: audit %v, path %v, local %v", w, u, v, what, a, p, l)
			}
		}
		ordered("delta", audit.Delta(eps, sigma), path.Delta(eps, sigma), local.Delta(eps, sigma))
		ordered("RDP", audit.RDP(alpha, sigma), path.RDP(alpha, sigma), local.RDP(alpha, sigma))
		ordered("mean", audit.Mean(), path.Mean(), local.Mean())
		if w.Cap == 0 {
			hidden, err := w.HiddenRDP(u, v, alpha, sigma)
			if err != nil {
				t.Fatal(err)
			}
			// at moderate orders the revealed path says at least as much
			ordered("hidden RDP", hidden, audit.RDP(alpha, sigma), local.RDP(alpha, sigma))
		}
		bound := w.boundedLaw(u, v, w.renewalOf(u, v))
		ordered("bound of RDP", audit.RDP(alpha, sigma), bound.RDP(alpha, sigma), local.RDP(alpha, sigma))
		ordered("bound of delta", audit.Delta(eps, sigma), bound.Delta(eps, sigma), local.Delta(eps, sigma))
	})
}

// simpleHidden sums over all paths of all counts, with no chain and no
// renewal: paths are grouped by when v holds the token, and the mixture over
// the counts of all its excursions is integrated for order 2 in closed form.
func simpleHidden(w Walk, u, v int, sigma float64) float64 {
	type view struct{ lengths string }
	views := make(map[view]map[string]float64)
	path := make([]int, 0, w.Turns)
	var extend func(p float64)
	extend = func(p float64) {
		if len(path) == w.Turns {
			lengths, counts, l, m := "", "", 0, 0
			for _, x := range path {
				l++
				if x == u {
					m++
				}
				if x == v {
					lengths, counts = lengths+string(rune(l-1)), counts+string(rune(m))
					l, m = 0, 0
				}
			}
			if w.Final {
				lengths, counts = lengths+string(rune(l)), counts+string(rune(m))
			}
			if views[view{lengths: lengths}] == nil {
				views[view{lengths: lengths}] = make(map[string]float64)
			}
			views[view{lengths: lengths}][counts] += p
			return
		}
		for x := range w.Nodes {
			q := 1 / float64(w.Nodes)
			if len(path) > 0 {
				q = w.W.At(path[len(path)-1], x)
			}
			if q > 0 {
				path = append(path, x)
				extend(p * q)
				path = path[:len(path)-1]
			}
		}
	}
	extend(1)
	total := 0.0
	for view, law := range views {
		weight, pairs := 0.0, 0.0
		for a, p := range law {
			weight += p
			for b, q := range law {
				pairs += p * q * math.Exp(overlap([]rune(a), []rune(b), []rune(view.lengths))/(sigma*sigma))
			}
		}
		total += pairs / weight
	}
	return math.Log(total)
}

// overlap is the inner product of two sequences of means, over variances.
func overlap(a, b, lengths []rune) (s float64) {
	for i, l := range lengths {
		if l > 0 {
			s += float64(a[i]) * float64(b[i]) / float64(l)
		}
	}
	return s
}

func TestHiddenAuditEqualsTheSumOverAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Walk{Walk: schedule.Walk{Nodes: 3, Start: AnyStart, W: drawMatrix(t, 3), Turns: rapid.IntRange(1, 6).Draw(t, "turns"),
			Final: rapid.Bool().Draw(t, "final")}}
		sigma := math.Exp(rapid.Float64Range(-0.5, 2).Draw(t, "ln sigma"))
		got, err := w.HiddenRDP(0, 1, 2, sigma)
		if err != nil {
			t.Fatal(err)
		}
		if want := simpleHidden(w, 0, 1, sigma); math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("%+v: %v, all paths give %v", w, got, want)
		}
	})
}

// An observer of the final token alone has mu^2 >= N^2/(T sigma^2), N the
// contributions made, whatever the path: no accountant may charge less.
func TestFinalTokenFloorIsChargedByThePathAccountant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		w.Final = true
		path, err := w.Law(u, v)
		if err != nil {
			t.Fatal(err)
		}
		floor := 0.0
		for n, p := range contributionLaw(w, u, v) {
			floor += p * gaussianDelta(float64(n*n)/float64(w.Turns), 0.5, 2)
		}
		if charged := path.Delta(0.5, 2); !(floor <= charged*(1+1e-9)) {
			t.Fatalf("%+v (%d,%d): floor %v, charged %v", w, u, v, floor, charged)
		}
	})
}

// contributionLaw is the law of the number of contributions of u.
func contributionLaw(w Walk, u, v int) []float64 {
	c := w.chainOf(u, v)
	now := [][]float64{c.start}
	for range w.Turns {
		next := make([][]float64, len(now)+1)
		for m := range next {
			next[m] = make([]float64, c.w.N)
		}
		for m, x := range now {
			for s, p := range x {
				made := m
				if s == atU && (w.Cap == 0 || m < w.Cap) {
					made++
				}
				accumulate(next[made], c.after(s), p)
			}
		}
		now = next
	}
	law := make([]float64, len(now))
	for m, x := range now {
		law[m] = sum(x)
	}
	return law
}

// The hitting-time form of the published loss claims less than what is really
// lost: ring of 20, opposite node, sigma^2 = 16, alpha = 2, 1000 turns. Claimed
// for each contribution alpha/(2 sigma^2) E 1/k, k the turns from u to v:
// 0.0008. The drift of the token alone gives alpha/(2 n sigma^2) = 0.0031; the
// audit, exact for linear losses and a hidden path, 0.0040.
func TestLossByHittingTimesIsBelowTheAudit(t *testing.T) {
	w, _ := walkOn(t, "ring:20")
	const sigma, alpha = 4.0, 2.0
	c := w.chainOf(0, 10)
	claimed := 0.0
	arrival, _ := c.firstPassage(c.at(atU), 100000, atV)
	for k, p := range arrival[0][1:] {
		claimed += alpha / (2 * sigma * sigma) * p / float64(k+1)
	}
	w.Turns = 1000
	loss, err := w.HiddenRDP(0, 10, alpha, sigma)
	if err != nil {
		t.Fatal(err)
	}
	exact, drift := loss/(float64(w.Turns)/20), alpha/(2*20*sigma*sigma)
	if math.Abs(claimed-0.0008) > 0.00005 || math.Abs(exact-0.0040) > 0.00005 || !(claimed < drift && drift < exact) {
		t.Errorf("a contribution: claimed %.5f, drift %.5f, exact %.5f", claimed, drift, exact)
	}
}

// Moments of high order at little noise do not fit a float64; their logarithms do.
func TestHiddenAuditOfHugeMoments(t *testing.T) {
	w, _ := walkOn(t, "ring:4")
	w.Turns, w.Final = 40, true
	const alpha, sigma = 8.4, 0.4
	path, err := w.Law(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := w.HiddenRDP(0, 2, alpha, sigma)
	if err != nil {
		t.Fatal(err)
	}
	if bound := path.RDP(alpha, sigma); !(hidden <= bound*(1+1e-9)) || !(hidden*(alpha-1) > math.Log(math.MaxFloat64)) {
		t.Errorf("hidden %v, sound bound %v", hidden, bound)
	}
}

func TestHiddenAuditRefusesACap(t *testing.T) {
	w := Walk{Walk: schedule.Walk{Nodes: 3, Start: AnyStart, Turns: 10, Cap: 2}}
	if _, err := w.HiddenRDP(0, 1, 2, 1); err == nil {
		t.Error("no error")
	}
}
