package walkpath

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// drawConnected is a walk on a small graph, directed and weighted, that is strongly
// connected and is followed to the end by Law.
func drawConnected(t *rapid.T) Walk {
	n := rapid.IntRange(2, 5).Draw(t, "nodes")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	share := rapid.Float64Range(0, 1).Draw(t, "share of edges")
	dense := make([]float64, n*n)
	for i := range n {
		row, total := dense[i*n:(i+1)*n], 0.0
		row[(i+1)%n] = 0.1 + r.Float64()
		for j := range row {
			if r.Float64() < share {
				row[j] += math.Exp(2 * r.NormFloat64())
			}
			total += row[j]
		}
		for j := range row {
			row[j] /= total
		}
	}
	return Walk{Walk: schedule.Walk{
		Nodes: n, W: sparse.FromDense(n, dense), Start: rapid.IntRange(AnyStart, n-1).Draw(t, "start"), Turns: rapid.IntRange(1, 40).Draw(t, "turns"),
		BurnIn: rapid.IntRange(0, 2).Draw(t, "burn-in"), Cap: rapid.IntRange(1, 5).Draw(t, "cap"), Update: amplified,
	}}
}

// No moment is below that of the law itself, nor is a loss below the law's.
func TestMomentsBoundEveryPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawConnected(t)
		w.Skip = rapid.SampledFrom([]float64{0, 0, 0.1, 0.7}).Draw(t, "skip")
		all, err := w.Moments(2)
		if err != nil {
			t.Fatal(err)
		}
		metric := rapid.SampledFrom([]privacy.Metric{{Delta: 1e-6}, {Delta: 0.01}, {Order: 2}, {Order: 20}}).Draw(t, "metric")
		sigma := rapid.SampledFrom([]float64{0.3, 2, 30, 1e6}).Draw(t, "sigma")
		losses, err := all.losses(sigma, metric)
		if err != nil {
			t.Fatal(err)
		}
		local, _, err := privacy.LocalLoss(w.Cap, sigma, metric)
		if err != nil {
			t.Fatal(err)
		}
		for u := range w.Nodes {
			v := (u + rapid.IntRange(1, w.Nodes-1).Draw(t, "v-u")) % w.Nodes
			law, err := w.Law(u, v)
			if err != nil {
				t.Fatal(err)
			}
			if !law.exact {
				continue
			}
			charged := all.Law(u, v)
			for _, e := range law.Energies {
				if got, want := charged.Exceeds(e*(1-1e-9)), law.Exceeds(e); !(got >= want-1e-9) {
					t.Fatalf("%d to %d: energies of at least %v have the weight %v, at most %v is charged", u, v, e, want, got)
				}
			}
			for k, bound := range all.Pair(u, v) {
				truth := 0.0
				for i, e := range law.Energies {
					truth += law.Weights[i] * math.Pow(e, float64(k+1))
				}
				if !(bound >= truth*(1-1e-9)) {
					t.Fatalf("%d to %d: E V^%d is %v, at most %v is charged", u, v, k+1, truth, bound)
				}
			}
			if got, want := losses.At(u, v), law.loss(sigma, metric); !(got >= want*(1-1e-9) && got <= local*(1+1e-9)) {
				t.Fatalf("%d to %d at %g, %+v: %v is charged, %v is lost, %v locally", u, v, sigma, metric, got, want, local)
			}
		}
	})
}

// Simulated paths of a run of some length, on a directed graph without symmetry, have no
// larger moments. A false alarm would take 7 standard errors, which at 4,000 paths has a
// probability below 1e-9 for each of 36 means; the seed is fixed.
func TestMomentsBoundSimulatedPaths(t *testing.T) {
	n := 9
	r := rand.New(rand.NewPCG(5, 5))
	dense := make([]float64, n*n)
	for i := range n {
		for _, j := range []int{i, (i + 1) % n, (i + n - 1) % n, r.IntN(n)} {
			dense[i*n+j] += 0.1 + r.Float64()
		}
		total := sum(dense[i*n : (i+1)*n])
		for j := range n {
			dense[i*n+j] /= total
		}
	}
	w := Walk{Walk: schedule.Walk{Nodes: n, W: sparse.FromDense(n, dense), Start: AnyStart, Turns: 500, Cap: 6, Update: amplified}}
	all, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	next := func(at, _ int, r *rand.Rand) int {
		x := r.Float64()
		for j := range n {
			if x -= dense[at*n+j]; x < 0 {
				return j
			}
		}
		return at
	}
	var pairs []Pair
	for u := range n {
		pairs = append(pairs, Pair{u, (u + 1 + u%4) % n})
	}
	samples, err := Simulation{Walk: w, Next: next, Paths: 4000, Seed: 9}.Sample(pairs, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pairs {
		bounds := all.Pair(p.U, p.V)
		for _, k := range []int{1, 2, 3, 6} {
			mean, variance := samples[i].moments(func(v float64) float64 { return math.Pow(v, float64(k)) })
			if error := math.Sqrt(variance / 4000); bounds[k-1] < mean-7*error {
				t.Errorf("%v: E V^%d is %v +- %v, at most %v is charged", p, k, mean, error, bounds[k-1])
			} else if k == 1 && bounds[0] > 1.5*mean {
				t.Errorf("%v: E V is %v, and %v is charged", p, mean, bounds[0])
			}
		}
	}
}

// Contributions of an excursion cost no more than the clusters that they are put in, whatever
// gaps join, as long as the gaps of a cluster are shorter than the one that opened it or the cluster
// is charged by ranks.
func TestClustersBoundTheMinorant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn, list := 0, []int{}
		bound, size, opened := 0.0, 0, 0
		byRank, ranks, distance := false, 0.0, 0 // charged by ranks, whatever gaps join
		end := func() {
			if size > 0 && !byRank {
				bound += float64(size*size) / float64(opened+size-1)
			}
			if byRank {
				bound += ranks
			}
		}
		gaps := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 12).Draw(t, "gaps") // backwards from the receipt
		for i, g := range gaps {
			if i > 0 && (g < opened || byRank) && rapid.Bool().Draw(t, "joins") {
				size, distance = size+1, distance+g
			} else {
				end()
				size, opened, ranks, distance, byRank = 1, g, 0, g, rapid.Bool().Draw(t, "by rank")
			}
			ranks += float64(2*size-1) / float64(distance)
			turn -= g
			list = append([]int{turn}, list...)
		}
		end()
		if energy := ExcursionEnergy(list, 0); energy > bound*(1+1e-12) {
			t.Fatalf("gaps %v: energy %v, %v in clusters", gaps, energy, bound)
		}
	})
}

// The bound is close to the law on a graph that mixes, and not far from it on one that mixes
// slowly, whose far pairs see many contributions at once, after returns of all lengths.
func TestMomentsAreCloseToTheLaw(t *testing.T) {
	for _, c := range []struct {
		graph     string
		turns     int
		observers []int
		most      float64 // times the law
	}{
		{"hypercube:5", 2000, []int{1, 3, 31}, 1.25},
		{"ring:60", 20_000, []int{5, 15, 30}, 1.4},
	} {
		w, _ := walkOn(t, c.graph)
		w.Turns, w.Cap = c.turns, 6
		all, err := w.Moments(2)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.observers {
			law, err := w.Law(0, v)
			if err != nil {
				t.Fatal(err)
			}
			got, err := all.Loss(0, v, 2, privacy.Metric{Delta: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			if want := law.Epsilon(1e-6, 2); got > c.most*want {
				t.Errorf("%s, 0 to %d: %v, the law has %v", c.graph, v, got, want)
			}
		}
	}
}

// Pairs that lose most are charged by their laws, all that lose the same or none.
func TestRefine(t *testing.T) {
	w, _ := walkOn(t, "grid:3x4")
	w.Turns, w.Cap = 200, 3
	m, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	metric := privacy.Metric{Delta: 1e-6}
	before, err := m.Losses(2, metric)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Refine(before, 3*200*float64(len(w.W.Columns))*6.5); err != nil {
		t.Fatal(err)
	}
	after, err := m.Losses(2, metric)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Refined) != 4 { // of the corners: 6 would be some of 8 that are alike
		t.Errorf("%d pairs are refined", len(m.Refined))
	}
	for u := range w.Nodes {
		for v := range w.Nodes {
			own, refined := m.Refined[Pair{u, v}]
			want := before.At(u, v)
			if refined {
				want = min(want, own.Epsilon(1e-6, 2))
			}
			if after.At(u, v) != want {
				t.Errorf("%d to %d: %v, want %v", u, v, after.At(u, v), want)
			}
		}
	}
}

// Nodes with a sensitivity of their own are charged for it, and the limits of what is
// priced at all are stated.
func TestMomentsOfRecords(t *testing.T) {
	w, _ := walkOn(t, "star:6")
	w.Turns, w.Cap = 300, 4
	plain, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	w.Sensitivities, w.Records = schedule.Sensitivities{1, 0.5, 0.25, 0.9, 0.07, 1}, true
	w.Sensitivity = 1
	own, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []privacy.Metric{{Delta: 1e-5}, {Order: 3}} {
		got, err := own.losses(2, m)
		if err != nil {
			t.Fatal(err)
		}
		for u, relative := range []float64{1, 0.5, 0.25} {
			want, err := plain.losses(2/relative, m)
			if err != nil {
				t.Fatal(err)
			}
			for v := range w.Nodes {
				if math.Abs(got.At(u, v)-want.At(u, v)) > 0.02*want.At(u, v) {
					t.Errorf("node %d, %+v: %v, want about %v", u, m, got.At(u, v), want.At(u, v))
				}
			}
		}
	}
	if own.Unit != privacy.Record {
		t.Errorf("the unit is %q", own.Unit)
	}
	w.Final = true
	if w.CanMoments() == "" {
		t.Error("a released token is covered")
	}
	w.Final, w.Cap = false, allpairs.MostCap+1
	if w.CanMoments() == "" {
		t.Error("any cap is covered")
	}
}

// c_k is no less than the ratio that it bounds, anywhere, and close to it somewhere.
func TestCeilings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := math.Exp(rapid.Float64Range(-6, 3).Draw(t, "ln eps"))
		top := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "ln top"))
		logs := suprema(eps, top, 1)
		var best [allpairs.Orders]float64
		for k := range best {
			best[k] = math.Inf(-1)
		}
		for x := math.Log(top); x > math.Log(min(top, eps))-4; x -= 0.05 {
			delta := privacy.LogDeltaGaussian(math.Exp(x), eps)
			for k := range best {
				best[k] = max(best[k], delta-float64(2*k+2)*x)
			}
		}
		for k, log := range logs {
			if !(log >= best[k]-1e-9) || log > best[k]+0.05 {
				t.Fatalf("eps %v up to %v, moment %d: %v, want at least %v", eps, top, k+1, log, best[k])
			}
		}
	})
}

// Where delta alone covers all of a node's contributions its losses are 0, at any noise, also where a node of many records
// has far less sensitivity than the one with the largest.
func TestMomentsOfNodesThatLoseNothing(t *testing.T) {
	w := Walk{Walk: schedule.Walk{
		Nodes: 3, W: sparse.FromDense(3, []float64{0, 0.5, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0}), Start: AnyStart, Turns: 30, Cap: 2, Update: amplified,
		Sensitivity: 1, Sensitivities: schedule.Sensitivities{1, 0.002, 0.001},
	}}
	m, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	losses, err := m.losses(8, privacy.Metric{Delta: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	if losses.At(1, 0) != 0 || losses.At(2, 1) != 0 || !(losses.At(0, 1) > 0) {
		t.Errorf("losses %v, %v and %v, want 0, 0 and more", losses.At(1, 0), losses.At(2, 1), losses.At(0, 1))
	}
}
