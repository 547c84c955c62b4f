package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"
)

// surveyOf looks at all pairs of b.
func surveyOf(tb testing.TB, b *Bundle) *survey {
	tb.Helper()
	s, err := newSurvey(tb.Context(), b, usual)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// lines reads what write produced as CSV and splits off the header.
func lines(tb testing.TB, write func(io.Writer) error) (header []string, rows [][]string) {
	tb.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		tb.Fatal(err)
	}
	all, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	return all[0], all[1:]
}

func float(tb testing.TB, text string) float64 {
	tb.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func TestPairsRoundTrip(t *testing.T) {
	for name, b := range map[string]*Bundle{"hypercube": hypercubeBundle(4), "geometric": geometricBundle(60)} {
		b.Losses[1].At = spoiled(b.Losses[1].At)
		s := surveyOf(t, b)
		header, rows := lines(t, func(w io.Writer) error { return writePairs(w, s) })
		if want := []string{"u", "v", "distance", "eps_published", "eps_path_sound"}; !slices.Equal(header, want) {
			t.Fatalf("header %v, want %v", header, want)
		}
		if want := s.n * (s.n - 1); len(rows) != want {
			t.Fatalf("%s: %d lines, want %d", name, len(rows), want)
		}
		for _, row := range rows {
			checkLine(t, b, row)
		}
	}
}

// spoiled makes one pair's loss unbounded.
func spoiled(at func(u, v int) float64) func(u, v int) float64 {
	return func(u, v int) float64 {
		if u == 3 && v == 2 {
			return math.Inf(1)
		}
		return at(u, v)
	}
}

func checkLine(t *testing.T, b *Bundle, row []string) {
	t.Helper()
	u, v := int(float(t, row[0])), int(float(t, row[1]))
	hops := make([]int32, b.nodes())
	b.Picture.Hops(v, hops)
	want := ""
	if hops[u] >= 0 {
		want = strconv.Itoa(int(hops[u]))
	}
	if row[2] != want {
		t.Fatalf("distance of %d and %d is %q, want %q", u, v, row[2], want)
	}
	for k, l := range b.Losses {
		if got := float(t, row[3+k]); !shows(got, l.At(u, v), l.Status) {
			t.Fatalf("loss from %d to %d under %s is %v, want %v", u, v, l.Accountant, got, l.At(u, v))
		}
	}
}

// shows reports whether got is eps to seven digits, on its safe side.
func shows(got, eps float64, status Status) bool {
	low, high := eps, eps*(1+1e-6)
	if status == Audit {
		low, high = eps*(1-1e-6), eps
	}
	return got >= low && got <= high
}

func TestLargeGraphListsTheWorstPairs(t *testing.T) {
	const n = 150
	small := limits{dense: n - 1, pairs: n * n, worst: 1000, embedded: n - 1, observers: 32}
	b := &Bundle{Result: fakeResult("large", n, 0)}
	b.Losses = []*Losses{{Accountant: "path", Status: Sound, N: n, At: apart(func(u, v int) float64 { return float64((u*31+v*17)%997) / 997 })}}
	s, err := newSurvey(t.Context(), b, small)
	if err != nil {
		t.Fatal(err)
	}
	_, rows := lines(t, func(w io.Writer) error { return writePairs(w, s) })
	if len(rows) != small.worst {
		t.Fatalf("%d lines, want %d", len(rows), small.worst)
	}
	last := math.Inf(1)
	for _, row := range rows {
		eps := float(t, row[3])
		if eps > last || eps < 0.9 || row[2] != "" {
			t.Fatalf("line %v after a loss of %v", row, last)
		}
		last = eps
	}
	about := newPairsFile(b.Result, s)
	if !strings.Contains(about.Rounding, "7 significant digits, rounded up") {
		t.Errorf("privacy.json says of rounding %q", about.Rounding)
	}
	if about.Listed != int64(small.worst) || about.Pairs != n*(n-1) || about.Examined != about.Pairs {
		t.Errorf("privacy.json says %+v", about)
	}
	pageSays(t, b, s, "32 evenly spaced observers", "is not drawn")
}

// TestHugeGraphIsSampled looks at a part of the pairs and says so.
func TestHugeGraphIsSampled(t *testing.T) {
	const n = 150
	b := geometricBundle(n)
	s, err := newSurvey(t.Context(), b, limits{dense: 10, pairs: 20 * n, worst: 50, embedded: 10, observers: 5})
	if err != nil {
		t.Fatal(err)
	}
	about := newPairsFile(b.Result, s)
	if about.Examined != 20*(n-1) || about.Listed != 50 || s.pools != nil {
		t.Errorf("privacy.json says %+v, picture %v", about, s.pools != nil)
	}
	pageSays(t, b, s, "5 evenly spaced observers", "could hide the worst")
}

func pageSays(t *testing.T, b *Bundle, s *survey, words ...string) {
	t.Helper()
	var page bytes.Buffer
	if err := writePage(&page, b, s); err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if !bytes.Contains(page.Bytes(), []byte(w)) {
			t.Errorf("the page does not say %q", w)
		}
	}
}

func TestDistancesRoundTrip(t *testing.T) {
	s := surveyOf(t, hypercubeBundle(4))
	header, rows := lines(t, func(w io.Writer) error { return writeDistances(w, s) })
	if header[2] != "eps_published_mean" || len(header) != 8 || len(rows) != 4 {
		t.Fatalf("header %v and %d lines", header, len(rows))
	}
	for i, pairs := range []float64{16 * 4, 16 * 6, 16 * 4, 16} {
		row := rows[i]
		want := s.losses[0].At(0, 1<<(i+1)-1)
		if float(t, row[0]) != float64(i+1) || float(t, row[1]) != pairs || !shows(float(t, row[3]), want, Published) || !shows(float(t, row[4]), want, Published) {
			t.Errorf("line %d is %v, want %v pairs with loss %v", i, row, pairs, want)
		}
	}
}

func TestMetricsRoundTrip(t *testing.T) {
	r := fakeResult("metrics", 4, 3)
	r.Curve[1].TestLoss = unknown
	header, rows := lines(t, func(w io.Writer) error { return writeMetrics(w, r) })
	if header[0] != "step" || header[1] != "train_loss_mean" || header[12] != "test_accuracy_max" || len(rows) != len(r.Curve) {
		t.Fatalf("header %v, %d lines", header, len(rows))
	}
	for i, p := range r.Curve {
		if float(t, rows[i][0]) != float64(p.Step) || float(t, rows[i][2]) != float64(p.TrainLoss.Std) || float(t, rows[i][9]) != float64(p.TestAccuracy.Mean) {
			t.Fatalf("line %d is %v, want %+v", i, rows[i], p)
		}
	}
	if rows[1][5] != "" {
		t.Errorf("a loss that is not a number is written as %q", rows[1][5])
	}
}

func TestArraysRoundTrip(t *testing.T) {
	b := geometricBundle(40)
	s := surveyOf(t, b)
	read := archive(t, func(w io.Writer) error { return writeLossArrays(w, s) })
	for name, want := range map[string]func(u, v int) float64{
		"eps_published.npy": b.Losses[0].At, "eps_path_sound.npy": b.Losses[1].At,
		"distance.npy": apart(func(u, v int) float64 { return float64(s.all.hops[v*40+u]) }),
	} {
		var m mat.Dense
		if err := read.Read(name, &m); err != nil {
			t.Fatal(err)
		}
		for u := range 40 {
			for v := range 40 {
				if m.At(u, v) != want(u, v) {
					t.Fatalf("%s at %d,%d is %v, want %v", name, u, v, m.At(u, v), want(u, v))
				}
			}
		}
	}
}

func archive(t *testing.T, write func(io.Writer) error) *npz.Reader {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	r, err := npz.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestModelRoundTrip(t *testing.T) {
	r := hospitalsBundle().Result
	read := archive(t, func(w io.Writer) error { return writeModelArrays(w, r) })
	var m mat.Dense
	var seeds []uint64
	if err := read.Read("parameters.npy", &m); err != nil {
		t.Fatal(err)
	}
	if err := read.Read("seeds.npy", &seeds); err != nil {
		t.Fatal(err)
	}
	file, err := newModelFile(&Bundle{Result: r})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	var back ModelFile
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	for i, trial := range back.Trials {
		if seeds[i] != trial.Seed || m.At(i, 2) != float64(trial.Coefficients["cholesterol"]) || m.At(i, 3) != float64(*trial.Intercept) {
			t.Errorf("trial %d: arrays have %v, JSON has %+v", i, m.RawRowView(i), trial)
		}
	}
}

func TestColumnNamesAreDistinctAndPlain(t *testing.T) {
	got := columns([]*Losses{{Accountant: "published", Status: Published}, {Accountant: "path, α=2", Status: Sound}, {Accountant: "path, β=2", Status: Sound}})
	if want := []string{"eps_published", "eps_path____2_sound", "eps_path____2_sound_2"}; !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
}

func BenchmarkPairsCSV(b *testing.B) {
	for name, bundle := range map[string]*Bundle{"hypercube": hypercubeBundle(11), "geometric": geometricBundle(2048)} {
		s := surveyOf(b, bundle)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := writePairs(io.Discard, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPage(b *testing.B) {
	for name, bundle := range map[string]*Bundle{"hypercube": hypercubeBundle(11), "geometric": geometricBundle(2048)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := Page(b.Context(), io.Discard, bundle); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
