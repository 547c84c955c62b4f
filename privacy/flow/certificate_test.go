package flow

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
)

// recomputed is the energy that follows from the JSON of a certificate, by the theorem
// as it is written, and an error where the plan is none: a reader without this
// package.
func recomputed(t *testing.T, text []byte) (float64, string) {
	t.Helper()
	type rows struct{ Columns, Values [][]float64 }
	var c struct {
		Nodes, Rounds                  int
		Weights, Hears                 []rows
		WeightsOf                      []int `json:"weights_of"`
		HearsOf                        []int `json:"hears_of"`
		Contributions, Steps, Rounding []float64
		Lipschitz, Noise               [][]float64
		Final                          bool
		Plan                           struct {
			U         int
			Observers []int
			Rounds    []struct{ Nodes, Amounts []float64 }
		}
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	of := func(all []rows, which []int, t int) rows {
		switch {
		case len(all) == 0:
			return rows{}
		case len(which) == 0:
			return all[0]
		}
		return all[which[t]]
	}
	at := func(table [][]float64, t, j int) float64 {
		if len(table) == 0 {
			return 1
		}
		row := table[min(t, len(table)-1)]
		return row[min(j, len(row)-1)]
	}
	energy, left := 0.0, make([]float64, c.Nodes)
	for t := range c.Rounds {
		arrived, absorbed, seen := make([]float64, c.Nodes), make([]float64, c.Nodes), make([]bool, c.Nodes)
		if t > 0 {
			before := of(c.Weights, c.WeightsOf, t-1)
			for i := range arrived {
				for k, j := range before.Columns[i] {
					arrived[i] += before.Values[i][k] * left[int(j)]
				}
				if arrived[i] *= at(c.Lipschitz, t, i); len(c.Steps) > 0 {
					arrived[i] *= c.Steps[t-1] / c.Steps[t]
				}
			}
		}
		arrived[c.Plan.U] += c.Contributions[t]
		for k, j := range c.Plan.Rounds[t].Nodes {
			absorbed[int(j)] = c.Plan.Rounds[t].Amounts[k]
		}
		for _, v := range c.Plan.Observers {
			seen[v] = true
			for _, m := range []rows{of(c.Weights, c.WeightsOf, t), of(c.Hears, c.HearsOf, t)} {
				if len(m.Columns) > 0 {
					for _, j := range m.Columns[v] {
						seen[int(j)] = true
					}
				}
			}
		}
		for j, x := range arrived {
			if absorbed[j] > x+1e-8 || (seen[j] || c.Final && t == c.Rounds-1) && absorbed[j] < x-1e-8 {
				return 0, "absorbs more than there is, or less than is seen"
			}
			if s := at(c.Noise, t, j); absorbed[j] > 0 {
				energy += absorbed[j] / s * absorbed[j] / s
			}
			left[j] = max(0, x-absorbed[j])
		}
	}
	return energy, ""
}

// A printed certificate suffices to recompute its bound, by this package and without
// it, on all kinds of runs.
func TestCertificatesAreCheckedFromWhatIsPrinted(t *testing.T) {
	for i := range 200 {
		d := draw(rand.New(rand.NewPCG(51, uint64(i))))
		a := accountant(t, d.Problem)
		best, err := a.Optimal(d.u, d.coalition...)
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.Certify(best.Plan, best.Energy)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var read Certificate
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if energy, err := read.Check(); err != nil || energy != best.Energy {
			t.Errorf("run %d: printed, the plan has energy %.17g, %v; it was %.17g", i, energy, err, best.Energy)
		}
		if math.IsInf(best.Energy, 1) {
			continue
		}
		if energy, wrong := recomputed(t, text); wrong != "" || math.Abs(energy-best.Energy) > 1e-7*(1+best.Energy) {
			t.Errorf("run %d: a reader finds energy %.12g (%s), claimed is %.12g", i, energy, wrong, best.Energy)
		}
	}
}

// A certificate that claims less, whose plan is none, or that makes no sense, is
// refused.
func TestForgedCertificates(t *testing.T) {
	g, err := graph.FromEdges("line", 4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	a := accountant(t, Problem{Rounds: 5, Weights: weightsList(t, g)})
	best, err := a.Optimal(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	good := func() *Certificate {
		c, err := a.Certify(best.Plan, best.Energy)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(c)
		var own Certificate
		if err := json.Unmarshal(text, &own); err != nil {
			t.Fatal(err)
		}
		return &own
	}
	if _, err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for says, forge := range map[string]func(c *Certificate){
		"more than the":        func(c *Certificate) { c.Energy *= 0.999 },
		"absorbs":              func(c *Certificate) { c.Plan.Rounds[4].Amounts[0] *= 0.5 },
		"without weights":      func(c *Certificate) { c.Weights = nil },
		"rows for 5 nodes":     func(c *Certificate) { c.Nodes = 5 },
		"an entry at column 9": func(c *Certificate) { c.Weights[0].Columns[1][2] = 9 },
		"columns with":         func(c *Certificate) { c.Weights[0].Values[1] = c.Weights[0].Values[1][:1] },
		"matrix 3 of 1":        func(c *Certificate) { c.WeightsOf = []int{0, 0, 0, 3, 0} },
		"a plan of 4 rounds":   func(c *Certificate) { c.Plan.Rounds = c.Plan.Rounds[:4] },
		"observes itself":      func(c *Certificate) { c.Plan.Observers = []int{0} },
	} {
		c := good()
		forge(c)
		if energy, err := c.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: energy %g, %v", says, energy, err)
		}
	}
}

// Whatever bytes are read, a check ends with an energy or an error.
func FuzzCertificate(f *testing.F) {
	f.Add([]byte(`{"nodes":2,"rounds":1,"weights":[{"columns":[[0,1],[0,1]],"values":[[0.5,0.5],[0.5,0.5]]}],"contributions":[1],"plan":{"u":0,"observers":[1],"rounds":[{"nodes":[0],"amounts":[1]}]},"energy":1.1}`))
	f.Add([]byte(`{"nodes":-1,"rounds":1000000000,"energy":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c Certificate
		if json.Unmarshal(text, &c) == nil {
			if energy, err := c.Check(); err == nil && !(energy >= 0) {
				t.Errorf("energy %g", energy)
			}
		}
	})
}
