package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/step"
)

// numberedTable has rows whose first feature is their index, so that rows can
// be followed, and labels by a repeating pattern of classes.
func numberedTable(rows int, pattern []float64, task Task) *Table {
	t := &Table{Source: "csv", Target: "y", Task: task, Features: []string{"id", "third"}}
	for i := range rows {
		t.X = append(t.X, float64(i), float64(i%3))
		t.Y = append(t.Y, pattern[i%len(pattern)])
	}
	return t
}

func plain(nodes int, partition string) Options {
	return Options{Source: "csv", Test: 0.2, Scale: "none", Normalise: "none", Partition: partition, Nodes: nodes}
}

func federate(t interface{ Fatal(...any) }, table *Table, o Options, seed uint64) *Federation {
	f, err := Federate(table, o, seed)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestEveryRowHasOnePlace holds for every partition: a row is in one shard,
// in the test part or unused, with its own label, and shards are contiguous.
func TestEveryRowHasOnePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(12, 200).Draw(t, "rows")
		table := numberedTable(rows, []float64{-1, 1, 1, -1, 1}, Classification)
		table.Group, table.GroupNames = "hospital", []string{"a", "b", "empty", "c"}
		for i := range rows {
			table.Groups = append(table.Groups, []int32{0, 1, 1, 3}[i%4])
		}
		o := plain(rapid.IntRange(3, 9).Draw(t, "nodes"), rapid.SampledFrom([]string{
			"uniform", "position", "position:id", "column:third", "column:hospital", "dirichlet:0.1", "dirichlet:10"}).Draw(t, "partition"))
		o.Test = rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "test")
		f := federate(t, table, o, rapid.Uint64().Draw(t, "seed"))

		seen := make([]int, rows)
		note := func(x, y []float64) {
			for i := range y {
				d := len(f.FeatureNames) // the column of a partition is none
				row := x[i*d : (i+1)*d]
				id := int(row[0])
				seen[id]++
				if y[i] != table.Y[id] || !slices.Equal(row, table.Row(id)[:d]) {
					t.Fatalf("row %d came out as %v, %v", id, row, y[i])
				}
			}
		}
		held := 0
		for v := range f.Shards.Nodes() {
			x, y := f.Shards.Shard(v)
			if len(y) == 0 {
				t.Fatalf("node %d has no rows", v)
			}
			held += len(y)
			note(x, y)
		}
		note(f.Test.X, f.Test.Y)
		if slices.Max(seen) > 1 || held+f.Test.Rows()+f.Unused != rows || f.Shards.Nodes() != o.Nodes {
			t.Fatalf("%d held + %d test + %d unused of %d rows, seen up to %d times", held, f.Test.Rows(), f.Unused, rows, slices.Max(seen))
		}
		if want := int(math.Round(o.Test * float64(rows))); f.Test.Rows() != want {
			t.Fatalf("%d test rows, want %d", f.Test.Rows(), want)
		}
	})
}

func TestSplitIsStratified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := numberedTable(rapid.IntRange(10, 300).Draw(t, "rows"), []float64{0, 1, 2, 1, 1, 0, 1}, Classification)
		o := plain(1, "uniform")
		o.Test = rapid.Float64Range(0, 0.9).Draw(t, "test")
		f := federate(t, table, o, 1)
		for c := range 3 {
			all, test := count(table.Y, float64(c)), count(f.Test.Y, float64(c))
			want := float64(all) * float64(f.Test.Rows()) / float64(table.Rows())
			if math.Abs(float64(test)-want) >= 1 {
				t.Fatalf("class %d: %d of %d rows in a test part of %d", c, test, all, f.Test.Rows())
			}
		}
	})
}

func count(y []float64, label float64) int {
	return floats.Count(func(v float64) bool { return v == label }, y)
}

func TestApportion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 50), 1, 6).Draw(t, "sizes")
		sum := 0
		for _, s := range sizes {
			sum += s
		}
		total := rapid.IntRange(0, sum).Draw(t, "total")
		got, given := make([]int, len(sizes)), 0
		apportion(got, sizes, total)
		for c, n := range got {
			given += n
			if exact := float64(sizes[c]*total) / math.Max(1, float64(sum)); n > sizes[c] || math.Abs(float64(n)-exact) >= 1 {
				t.Fatalf("%v of %v for %d", got, sizes, total)
			}
		}
		if given != total {
			t.Fatalf("%v adds up to %d, want %d", got, given, total)
		}
	})
}

func TestPositionSortsAlongNodes(t *testing.T) {
	f := federate(t, numberedTable(100, []float64{3, 1, 2}, Regression), plain(7, "position"), 5)
	if !slices.IsSorted(f.Shards.Y) {
		t.Errorf("labels along the nodes are %v", f.Shards.Y)
	}
}

func TestColumnGivesNodesOneGroup(t *testing.T) {
	for _, nodes := range []int{3, 4, 11} {
		f := federate(t, numberedTable(90, []float64{-1, 1}, Classification), plain(nodes, "column:third"), 5)
		last, longest, shortest := 0.0, 0, math.MaxInt
		for v := range nodes {
			x, y := f.Shards.Shard(v)
			longest, shortest = max(longest, len(y)), min(shortest, len(y))
			of := func(id float64) float64 { return math.Mod(id, 3) }
			for i := range y {
				if third := of(x[i]); third != of(x[0]) || third < last {
					t.Fatalf("%d nodes: node %d holds %v after %v", nodes, v, x, last)
				}
			}
			last = of(x[0])
		}
		if f.Unused != 0 || longest > 2*shortest+2 || len(f.Notes) != 4 {
			t.Errorf("%d nodes: shards of %d to %d rows, %d unused, notes %q", nodes, shortest, longest, f.Unused, f.Notes)
		}
	}
}

// TestDirichletSkew compares the mean share of a node's larger class with
// what the Beta distribution of the share predicts for 50 rows a node: close
// to 1/2 for a large concentration and to 1 for a small one. With 400 nodes
// the standard error is below 0.012, the margins are over 5 of them: false
// alarms happen less than once in a million.
func TestDirichletSkew(t *testing.T) {
	table := numberedTable(40_000, []float64{-1, 1}, Classification)
	share := func(partition string) float64 {
		o := plain(400, partition)
		o.Rows, o.Test = 50, 0
		f, sum := federate(t, table, o, 7), 0.0
		for v := range o.Nodes {
			_, y := f.Shards.Shard(v)
			sum += math.Max(float64(count(y, 1)), float64(count(y, -1))) / float64(len(y))
		}
		return sum / float64(o.Nodes)
	}
	// Beta(1, 1): the share is uniform, its larger side has mean 3/4.
	for partition, want := range map[string]float64{"dirichlet:1000": 0.557, "dirichlet:1": 0.757, "dirichlet:0.0001": 1} {
		if got := share(partition); math.Abs(got-want) > 0.06 {
			t.Errorf("%s: the larger class of a node has share %.3f on average, want about %.3f", partition, got, want)
		}
	}
}

func TestDirichletUnderflow(t *testing.T) {
	var stream step.Stream
	w := make([]float64, 3)
	drawDirichlet(w, []float64{1e-300, 1e-300, 1e-300}, stream.At(1, 0, 0, 0, step.Data))
	if sum := floats.Sum(w); !(sum > 0) || math.IsInf(sum, 0) {
		t.Errorf("weights %v", w)
	}
}

func TestStandardiseAgainstColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, d := rapid.IntRange(2, 20).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "features")
		x := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), rows*d, rows*d).Draw(t, "x")
		columns, err := standardise(numbered(d), x)
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range columns {
			var v []float64
			for i := range rows {
				v = append(v, x[i*d+j])
			}
			mean, std := stat.PopMeanStdDev(v, nil)
			if math.Abs(c.Shift-mean) > 1e-9 || (std > 1e-6 && math.Abs(c.Factor*std-1) > 1e-6) {
				t.Fatalf("column %v: shift %v factor %v, want %v and 1/%v", v, c.Shift, c.Factor, mean, std)
			}
		}
	})
}

func TestUnitNormNeverExceedsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e150, 1e150), 1, 40).Draw(t, "x")
		zero := floats.Norm(x, 2) == 0
		UnitNorm(x, len(x))
		sum := 0.0
		for _, v := range x {
			sum += v * v
		}
		if norm := math.Sqrt(sum); norm > 1 || floats.Norm(x, 2) > 1 || (!zero && norm < 1-1e-12) {
			t.Fatalf("norm %v", norm)
		}
	})
}

func TestRangesBoundEveryRow(t *testing.T) {
	table := numberedTable(50, []float64{-1, 1}, Classification)
	o := plain(5, "uniform")
	o.Scale, o.Ranges = "ranges", map[string][2]float64{"id": {10, 20}, "third": {-0.1, 2.1}}
	f := federate(t, table, o, 1)
	for _, x := range [][]float64{f.Shards.X, f.Test.X} {
		for i := 0; i < len(x); i += 2 {
			if norm := floats.Norm(x[i:i+2], 2); norm > f.Bound {
				t.Errorf("norm %v exceeds the bound %v", norm, f.Bound)
			}
		}
	}
	if notes := strings.Join(f.Notes, " "); strings.Contains(notes, "release") {
		t.Errorf("public ranges are reported as a release: %q", notes)
	}
}

// TestScalingLooksAtTrainingRowsOnly moves the rows outside the shards by a
// lot: nothing about the shards may change.
func TestScalingLooksAtTrainingRowsOnly(t *testing.T) {
	o := plain(4, "uniform")
	o.Scale, o.Normalise = "standardise", "unit"
	table := numberedTable(61, []float64{-1, 1}, Classification)
	free := plain(4, "uniform")
	held := make(map[int]bool)
	for x, i := federate(t, table, free, 3).Shards.X, 0; i < len(x); i += 2 {
		held[int(x[i])] = true
	}
	before := federate(t, table, o, 3)
	for i := range table.Rows() {
		if !held[i] {
			table.X[2*i] += 1e6
		}
	}
	after := federate(t, table, o, 3)
	if !slices.Equal(before.Shards.X, after.Shards.X) || !slices.Equal(before.Columns, after.Columns) {
		t.Error("rows that no node holds changed the scaling")
	}
	if slices.Equal(before.Test.X, after.Test.X) {
		t.Error("the test rows did not move: this test shows nothing")
	}
	if !strings.Contains(strings.Join(after.Notes, " "), "themselves a release") {
		t.Errorf("the statistics are not noted: %q", after.Notes)
	}
}

func TestRegressionLabelsAreScaledToo(t *testing.T) {
	o := plain(4, "uniform")
	o.Scale = "standardise"
	f := federate(t, numberedTable(50, []float64{10, 20, 40}, Regression), o, 3)
	if mean, std := stat.PopMeanStdDev(f.Shards.Y, nil); math.Abs(mean) > 1e-12 || math.Abs(std-1) > 1e-12 || f.Label == nil {
		t.Errorf("labels have mean %v and deviation %v", mean, std)
	}
}

func TestSameSeedSameFederation(t *testing.T) {
	table := numberedTable(100, []float64{-1, 1}, Classification)
	for _, partition := range []string{"uniform", "dirichlet:0.5"} {
		a, b, c := federate(t, table, plain(5, partition), 1), federate(t, table, plain(5, partition), 1), federate(t, table, plain(5, partition), 2)
		if !slices.Equal(a.Shards.X, b.Shards.X) || slices.Equal(a.Shards.X, c.Shards.X) {
			t.Errorf("%s: seeds do not decide the shards", partition)
		}
	}
}

func TestFederateErrors(t *testing.T) {
	classes, numbers := numberedTable(30, []float64{-1, 1}, Classification), numberedTable(30, []float64{1, 2}, Regression)
	for want, c := range map[string]struct {
		table  *Table
		change func(*Options)
	}{
		"24 training rows are too few for 25 nodes": {classes, func(o *Options) { o.Nodes = 25 }},
		"too few for 5 nodes with 6 rows each":      {classes, func(o *Options) { o.Rows = 6 }},
		"over 0 nodes":                              {classes, func(o *Options) { o.Nodes = 0 }},
		"test fraction 1 is":                        {classes, func(o *Options) { o.Test = 1 }},
		"test fraction NaN is":                      {classes, func(o *Options) { o.Test = math.NaN() }},
		"no test part of its own":                   {classes, func(o *Options) { o.Test = OwnTest }},
		`unknown scale "minmax"`:                    {classes, func(o *Options) { o.Scale = "minmax" }},
		`unknown normalise "l1"`:                    {classes, func(o *Options) { o.Normalise = "l1" }},
		`unknown partition "random"`:                {classes, func(o *Options) { o.Partition = "random" }},
		"concentration is not a positive number":    {classes, func(o *Options) { o.Partition = "dirichlet:-1" }},
		"needs classes":                             {numbers, func(o *Options) { o.Partition = "dirichlet:1" }},
		`no column "town"`:                          {classes, func(o *Options) { o.Partition = "column:town" }},
		`no column "size"`:                          {classes, func(o *Options) { o.Partition = "position:size" }},
		`too few for the 24 groups of column "id"`:  {classes, func(o *Options) { o.Partition = "column:id" }},
		`column "id" has no public range`:           {classes, func(o *Options) { o.Scale = "ranges" }},
		`range [2, 1] of column "id" is empty`: {classes, func(o *Options) {
			o.Scale, o.Ranges = "ranges", map[string][2]float64{"id": {2, 1}}
		}},
	} {
		o := plain(5, "uniform")
		c.change(&o)
		_, err := Federate(c.table, o, 1)
		t.Run(fmt.Sprintf("%.30s", want), func(t *testing.T) { expectFault(t, err, want) })
	}
}

// TestHousesFederation is the canonical experiment's data, and a sixteenth of it of our own.
func TestHousesFederation(t *testing.T) {
	t.Run("own", func(t *testing.T) { checkHouses(t, testdata.Houses(t, 1290), 128, [3]int{258, 1024, 8}) })
	t.Run("outside", func(t *testing.T) {
		checkHouses(t, testdata.Shared(t, "data/houses/houses.csv"), 2048, [3]int{4128, 16384, 128})
	})
}

// checkHouses deals the rows out: so many to test with, to nodes, and left over.
func checkHouses(t *testing.T, path string, nodes int, want [3]int) {
	t.Helper()
	o := options(t, "houses", "")
	o.Path, o.Nodes = path, nodes
	f, err := Build(o, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := [3]int{f.Test.Rows(), len(f.Shards.Y), f.Unused}; got != want || f.Bound != 1 {
		t.Errorf("%v test rows, held, unused; want %v; bound %v", got, want, f.Bound)
	}
	for i := range f.Test.Rows() {
		if norm := floats.Norm(f.Test.Row(i), 2); norm > 1 || norm < 1-1e-12 {
			t.Fatalf("test row %d has norm %v", i, norm)
		}
	}
}

// Groups go to the nodes of their names, in whatever order; names that only one
// side has are an error that lists both.
func TestGroupsGoToTheNodesOfTheirNames(t *testing.T) {
	text := "x,y,clinic\n"
	for i := range 40 {
		for c, clinic := range []string{"zurich", "basel", "geneva", "12"} {
			text += fmt.Sprintf("%d,%d,%s\n", 100*c+i, i%2, clinic)
		}
	}
	table, err := ReadCSV(strings.NewReader(text), "rows.csv", CSV{Target: "y", Task: Classification, Group: "clinic"})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Source: "csv", Task: Classification, Test: 0.2, Scale: "none", Normalise: "none", Partition: "column:clinic", Nodes: 4}
	o.Names = []string{"geneva", "12", "zurich", "basel"}
	f, err := Federate(table, o, 3)
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range []float64{200, 300, 0, 100} {
		x, _ := f.Shards.Shard(v)
		for _, x := range x {
			if x < want || x >= want+40 {
				t.Errorf("node %s has the row %g of another group", o.Names[v], x)
			}
		}
	}
	o.Names = []string{"geneva", "lugano", "zurich", "basel"}
	_, err = Federate(table, o, 3)
	if err == nil || !strings.Contains(err.Error(), "lugano") || !strings.Contains(err.Error(), "12") {
		t.Errorf("names that do not match: %v", err)
	}
	o.Names, o.Nodes = append(o.Names, "12", "chur"), 6
	if _, err = Federate(table, o, 3); err == nil || !strings.Contains(err.Error(), "chur, lugano") {
		t.Errorf("nodes without rows: %v", err)
	}
	o.Names, o.Nodes = []string{"0", "1", "2", "3"}, 4
	f, err = Federate(table, o, 3)
	if err != nil || !slices.Equal(f.Holders, []string{"12", "basel", "geneva", "zurich"}) {
		t.Errorf("numbered nodes: %v, %v", f, err)
	}
}

// A name matches with the name of the column before it and without, on both sides; two names that differ in nothing else are refused.
func TestNamesMatchWithTheColumnBeforeThem(t *testing.T) {
	text := "x,y,clinic\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,%d,A\n%d,%d,clinic B\n", i, i%2, 100+i, i%2)
	}
	table, err := ReadCSV(strings.NewReader(text), "rows.csv", CSV{Target: "y", Task: Classification, Group: "clinic"})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Source: "csv", Task: Classification, Test: 0.2, Scale: "none", Normalise: "none", Partition: "column:clinic", Nodes: 2}
	for _, o.Names = range [][]string{{"A", "B"}, {"clinic A", "B"}, {"A", "clinic B"}, {"clinic A", "clinic B"}} {
		f, err := Federate(table, o, 3)
		if err != nil {
			t.Errorf("%q: %v", o.Names, err)
			continue
		}
		if x, _ := f.Shards.Shard(0); len(x) == 0 || slices.Max(x) > 20 || !slices.Equal(f.Holders, o.Names) {
			t.Errorf("%q: %v at the first node, held by %q", o.Names, x, f.Holders)
		}
	}
	for _, o.Names = range [][]string{{"A", "clinic A"}, {"clinic B", "B"}} {
		if _, err := Federate(table, o, 3); err == nil || !strings.Contains(err.Error(), "have the same name") {
			t.Errorf("%q: %v", o.Names, err)
		}
	}
}

// Wherever rows of several nodes decide about a label, a feature or a place, a ground says so; with public numbers in their stead
// none does, and no row changes another's label.
func TestGroundsSayWhereRowsOfOthersAreLookedAt(t *testing.T) {
	table := func(first float64) *Table {
		return &Table{Source: "houses", Target: "y", Task: Classification, Features: []string{"a"}, X: []float64{1, 2, 3, 4, 5}, Y: []float64{first, 2, 3, 4, 50}}
	}
	labels := func(first float64, o Options) ([]float64, []string) {
		one := table(first)
		one.compare(o)
		return one.Y[1:], one.Grounds
	}
	public := 3.5
	for name, c := range map[string]struct {
		o     Options
		moves bool
	}{"mean": {Options{Target: "y"}, true}, "threshold": {Options{Target: "y", Threshold: &public}, false}} {
		one, grounds := labels(1, c.o)
		other, _ := labels(-1000, c.o)
		if moved := !slices.Equal(one, other); moved != c.moves || (len(grounds) == 1) != c.moves {
			t.Errorf("%s: labels of others moved %v, grounds %q", name, moved, grounds)
		}
	}
	for name, c := range map[string]struct {
		change func(o *Options)
		want   string
	}{
		"nothing":     {func(o *Options) { o.Split = "index" }, ""},
		"split":       {func(*Options) {}, "the split is public"},
		"partition":   {func(o *Options) { o.Split, o.Partition = "index", "position" }, "who holds which rows is public"},
		"standardise": {func(o *Options) { o.Split, o.Scale = "index", "standardise" }, "preprocessing is public"},
	} {
		one := table(1)
		one.compare(Options{Target: "y", Threshold: &public})
		o := Options{Source: "houses", Target: "y", Task: Classification, Nodes: 2, Test: 0.2, Scale: "none", Normalise: "none", Partition: "uniform"}
		c.change(&o)
		f, err := Federate(one, o, 1)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" && len(f.Grounds) > 0 || c.want != "" && (len(f.Grounds) != 1 || !strings.HasPrefix(f.Grounds[0], c.want)) {
			t.Errorf("%s: %q", name, f.Grounds)
		}
	}
}
