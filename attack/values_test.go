package attack

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/sparse"
)

func facebook(t testing.TB, name string) *graph.Graph {
	t.Helper()
	file, err := os.Open(testdata.Shared(t, "data/facebook/"+name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	g, err := graphfile.Read(file, name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ofBasis bounds the error of a value by rounding of the basis, relative to the largest
// message.
const ofBasis = 1e-10

// checkValues checks the values of reconstructed nodes, and relations. It allows for the
// stated rounding of the messages and for that of the basis of the view (9e-13 of the
// largest message was seen).
func checkValues(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, g *Gossip, v *Values, x [][]float64) {
	t.Helper()
	for _, u := range g.Reconstructed() {
		for j, value := range v.Projection[u] {
			if off := math.Abs(value - x[u][j]); off > 6*v.Uncertainty[u]+ofBasis*v.Scale && !v.Lost(u) {
				t.Fatalf("node %d is %v, found %v: off by %.2g, said %.2g", u, x[u][j], value, off, v.Uncertainty[u])
			}
		}
	}
	relations, err := g.Relations()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range relations {
		if r.Coefficients == nil {
			continue
		}
		value, allowed := v.Value(r), ofBasis*v.Scale
		want := make([]float64, v.Dim)
		for i, u := range r.Nodes {
			allowed += 6 * math.Abs(r.Coefficients[i].Float()) * v.Uncertainty[u]
			for j := range want {
				want[j] += r.Coefficients[i].Float() * x[u][j]
			}
		}
		for j := range want {
			if math.Abs(value[j]-want[j]) > allowed {
				t.Fatalf("%v is %v, found %v", r, want, value)
			}
		}
	}
}

// Plain or accelerated, on a graph that changes or not, the values come out.
func TestValuesFromMessages(t *testing.T) {
	most := 0.0
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, 14, 10)
		gamma := 1.0
		if !c.averaging.Changing() {
			gamma = rapid.SampledFrom([]float64{1, 1.2, 1.9}).Draw(t, "gamma")
		}
		x := drawNumbers(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "values"), 7)), c.n, rapid.IntRange(1, 3).Draw(t, "dim"))
		g, err := NewGossip(c.averaging, c.attackers)
		if err != nil {
			t.Fatal(err)
		}
		v, err := g.Values(averaged(c.ws, x, c.attackers, gamma), gamma)
		if err != nil {
			t.Fatal(err)
		}
		if v.Spare > 0 && v.Residual > 1e-14 {
			t.Fatalf("residual %g", v.Residual)
		}
		checkValues(t, g, v, x)
		for _, u := range g.Reconstructed() {
			if !v.Lost(u) {
				most = max(most, v.Uncertainty[u])
			}
		}
	})
	t.Logf("the largest uncertainty is %.2g", most)
}

// Messages with few decimals give values with few digits, and say so.
func TestShortMessagesAreTrustedAsFarAsTheirDigits(t *testing.T) {
	averaging, w := named(t, "florentine", 15)
	g := newGossip(t, averaging, 0)
	x := drawNumbers(rand.New(rand.NewPCG(1, 2)), w.N, 40)
	messages := averaged(slices.Repeat([]*sparse.Matrix{w}, 15), x, g.Attackers, 1)
	exact, err := g.Values(messages, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k, m := range messages {
		messages[k].Values = slices.Clone(m.Values)
		for j, value := range m.Values {
			messages[k].Values[j], _ = strconv.ParseFloat(strconv.FormatFloat(value, 'f', 7, 64), 64)
		}
	}
	short, err := g.Values(messages, 1)
	if err != nil {
		t.Fatal(err)
	}
	checkValues(t, g, exact, x)
	checkValues(t, g, short, x)
	if exact.Residual > 1e-15 || short.Residual < 1e-9 || short.Residual > 1e-6 {
		t.Errorf("residuals %g and %g", exact.Residual, short.Residual)
	}
	for u := range w.N {
		if short.Uncertainty[u] < 100*exact.Uncertainty[u] {
			t.Errorf("node %d: uncertainty %g, with all digits %g", u, short.Uncertainty[u], exact.Uncertainty[u])
		}
	}
}

// Every case of the reference: who is reconstructed, and their values.
func TestValuesGolden(t *testing.T) {
	cases := testdata.Attacks(t)
	found := map[string][2]int{}
	for name, list := range cases {
		for k, c := range list {
			if k%4 > 0 && testing.Short() {
				continue
			}
			g0, err := graph.FromEdges(name, c.N, c.Edges)
			if err != nil {
				t.Fatal(err)
			}
			averaging, w := on(t, g0, c.T)
			g := newGossip(t, averaging, c.Attackers...)
			if !slices.Equal(g.Reconstructed(), c.Reconstructed) || g.View.Rank() != c.Rank {
				t.Fatalf("%s %d: reconstructed %v, want %v", name, k, g.Reconstructed(), c.Reconstructed)
			}
			x := drawNumbers(rand.New(rand.NewPCG(uint64(k), 3)), c.N, 1)
			v, err := g.Values(averaged(slices.Repeat([]*sparse.Matrix{w}, c.T), x, c.Attackers, 1), 1)
			if err != nil {
				t.Fatalf("%s %d: %v", name, k, err)
			}
			count := found[name]
			for _, u := range c.Reconstructed {
				if v.Lost(u) {
					continue
				}
				count[0]++
				if off := math.Abs(v.Projection[u][0] - x[u][0]); off > 6*v.Uncertainty[u] {
					t.Errorf("%s %d: node %d is off by %.2g, said %.2g", name, k, u, off, v.Uncertainty[u])
				}
			}
			count[1] += len(c.Reconstructed)
			found[name] = count
		}
	}
	t.Logf("values found in floating point, of those reconstructed: %v", found)
}

func TestBadMessages(t *testing.T) {
	averaging, w := named(t, "ring:6", 2)
	g := newGossip(t, averaging, 0)
	x := drawNumbers(rand.New(rand.NewPCG(1, 2)), 6, 1)
	good := averaged(slices.Repeat([]*sparse.Matrix{w}, 2), x, g.Attackers, 1)
	one := func(change func(m *Message)) []Message {
		bad := slices.Clone(good)
		last := &bad[len(bad)-1]
		last.Values = slices.Clone(last.Values)
		change(last)
		return bad
	}
	foreign := slices.Clone(good)
	for k := range foreign {
		foreign[k].Values = []float64{math.Sin(float64(5 * k))}
	}
	longer, _ := named(t, "line:6", 9)
	for want, messages := range map[string][]Message{
		"no message":               nil,
		"turn 1 from node 5":       good[:len(good)-1],
		"starting value of node 0": good[1:],
		"numbered from 0":          one(func(m *Message) { m.Turn = 2 }),
		"do not average":           one(func(m *Message) { m.From = 3 }),
		"to nobody":                one(func(m *Message) { m.To = 4 }),
		"nodes are 0 to 5":         one(func(m *Message) { m.From = 6 }),
		"has 2 values":             one(func(m *Message) { m.Values = []float64{1, 2} }),
		"contradicts":              append(slices.Clone(good), one(func(m *Message) { m.Values[0]++ })[len(good)-1]),
	} {
		if _, err := g.Values(messages, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	for _, gamma := range []float64{0.5, 2.5, math.NaN()} {
		if _, err := g.Values(good, gamma); err == nil {
			t.Errorf("gamma %v was accepted", gamma)
		}
	}
	// Messages of another run, more than there are unknowns.
	line := newGossip(t, longer, 3)
	x = drawNumbers(rand.New(rand.NewPCG(1, 2)), 6, 1)
	_, lw := named(t, "line:6", 9)
	other := averaged(slices.Repeat([]*sparse.Matrix{lw}, 9), x, line.Attackers, 1.5)
	if _, err := line.Values(other, 1); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("messages of accelerated gossip pass for plain ones: %v", err)
	}
	if _, err := line.Values(other, 1.5); err != nil {
		t.Error(err)
	}
}

func findNumber(id string) (int, bool) {
	u, err := strconv.Atoi(id)
	return u, err == nil && u >= 0 && u < 100
}

func FuzzReadMessages(f *testing.F) {
	for _, seed := range []string{
		"turn,from,to,value\n0,0,1,1.5\n1,2,0,-3e-4\n", "# a comment\n0, 1, 0, 1, 2\n", "0,1,0\n", "x,1,0,1\n", "0,1,0,NaN\n", "0,\"1\n", "", "0,101,0,1\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		messages, err := ReadMessages(strings.NewReader(text), "file", findNumber)
		if err != nil {
			if len(messages) > 0 {
				t.Fatal("messages and an error")
			}
			return
		}
		dim := len(messages[0].Values)
		if slices.ContainsFunc(messages, func(m Message) bool { return len(m.Values) != dim }) {
			return
		}
		var out bytes.Buffer
		if err := WriteMessages(&out, messages, strconv.Itoa); err != nil {
			t.Fatal(err)
		}
		again, err := ReadMessages(&out, "file", findNumber)
		if err != nil || len(again) != len(messages) {
			t.Fatalf("%v: %q", err, out.String())
		}
		for k, m := range again {
			if w := messages[k]; m.Turn != w.Turn || m.From != w.From || m.To != w.To || !slices.Equal(m.Values, w.Values) {
				t.Fatalf("%v became %v", w, m)
			}
		}
	})
}

func FuzzReadTurns(f *testing.F) {
	for _, seed := range []string{"0 1 2\n", "# c\n\n1,3,4\n", "0 1 1\n", "9 1 2\n", "x 1 2\n", "0 1\n", "0 1 200\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		turns, err := ReadTurns(strings.NewReader(text), "file", 3, findNumber)
		if err != nil {
			return
		}
		if len(turns) != 3 {
			t.Fatalf("%d turns", len(turns))
		}
		for _, edges := range turns {
			for _, e := range edges {
				if e[0] == e[1] || min(e[0], e[1]) < 0 || max(e[0], e[1]) >= 100 {
					t.Fatalf("edge %v", e)
				}
			}
		}
	})
}

// Lists of messages and turns are texts like all others: marks go, other kinds are named.
func TestListsAreTexts(t *testing.T) {
	for text, what := range map[string]string{
		"\ufeffturn,from,to,value\n0,0,1,1.5\n": "", "\xff\xfe0\x00,\x00": "UTF-16", "0,0,0,1\n0,\xe9,0,1\n": "line 2: the byte 0xe9", "PK\x03\x04xl/": "an Excel workbook",
	} {
		_, err := ReadMessages(strings.NewReader(text), "file", findNumber)
		if (err == nil) != (what == "") || err != nil && !strings.Contains(err.Error(), what) {
			t.Errorf("messages %q: %v, want %q", text, err, what)
		}
		_, err = ReadTurns(strings.NewReader(strings.NewReplacer("turn,from,to,value\n", "", ",1.5", "", ",1\n", "\n").Replace(text)), "file", 3, findNumber)
		if (err == nil) != (what == "") || err != nil && !strings.Contains(err.Error(), what) {
			t.Errorf("turns %q: %v, want %q", text, err, what)
		}
	}
}
