package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"

	"pgregory.net/rapid"
)

var clinic = Shape{
	Target: "ill", Task: Classification, Classes: []string{"no", "yes"},
	Ranges: map[string][2]float64{"weight": {40, 140}, "age": {0, 100}},
}

// Columns may come in any order and be more than the shape names; features are
// in the order of their names.
func TestShardFollowsTheShape(t *testing.T) {
	const text = "ill,name,weight,age\nyes,a,90,0\nyes,b,140,25\nyes,c,500,100\n"
	shard, err := clinic.ReadShard(strings.NewReader(text), "lyon.csv", 0, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(shard.Ignored, []string{"name"}) || !slices.Equal(shard.Limited, []Limited{{"weight", 1}}) {
		t.Errorf("ignored %v, limited %v", shard.Ignored, shard.Limited)
	}
	rows := map[string]bool{}
	for i := range shard.Train.Rows() {
		rows[fmt.Sprint(shard.Train.Row(i), shard.Train.Y[i])] = true
	}
	for _, want := range []string{"[-1 0] 1", "[-0.5 1] 1", "[1 1] 1"} {
		if !rows[want] {
			t.Errorf("no row %s in %v", want, rows)
		}
	}
}

func TestShardRefuses(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{"", "lyon.csv is empty", "first line"},
		{"age,weight,ill\n", "has no rows", "at least one line"},
		{"age,ill\n1,yes\n", `no column "weight"`, "age, weight, ill"},
		{"age,weight,ill\n1,,yes\n", `line 2: column "weight" has no value`, "fill it in"},
		{"age,weight,ill\n1,?,yes\n", `column "weight" has no value`, "fill it in"},
		{"age,weight,ill\n1,heavy,yes\n", `line 2: column "weight" is not a number`, "correct"},
		{"age,weight,ill\n1,60,maybe\n", `holds "maybe" in data row 1`, "no, yes"},
		{"age,weight,ill\n1,60\n", "2 fields instead of 3", "header"},
		{"age,age,weight,ill\n", `two columns are called "age"`, "own name"},
	} {
		_, err := clinic.ReadShard(strings.NewReader(c.text), "lyon.csv", 0.2, 1, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.Hint(err), c.hint) {
			t.Errorf("%q: %v (%s), want %q (%s)", c.text, err, fault.Hint(err), c.want, c.hint)
		}
	}
}

// ward has a text column, and values for what is missing.
var ward = Shape{
	Target: "ill", Task: Classification, Classes: []string{"no", "yes"}, Ranges: map[string][2]float64{"age": {0, 100}, "zeal": {0, 1}},
	Categories: map[string][]string{"sex": {"m", "f"}}, Fill: map[string]string{"age": "50", "sex": "f"}, SkipMissing: true,
}

// Text columns become a feature a category, in the order of the shape whatever the
// file's is; gaps are filled by the shape's values, and rows with other gaps left out.
func TestShardFillsAndSpreadsByTheShape(t *testing.T) {
	if got := ward.Features(); !slices.Equal(got, []string{"age", "sex=m", "sex=f", "zeal"}) {
		t.Fatalf("features %v", got)
	}
	const text = "zeal,sex,ill,age\n1,m,yes,0\n0,?,no,NA\n0.5,f,yes,100\n,f,yes,3\n1,m,,3\n"
	shard, err := ward.ReadShard(strings.NewReader(text), "lyon.csv", 0, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if shard.Dropped != 2 || !slices.Equal(shard.Filled, []Limited{{"sex", 1}, {"age", 1}}) || shard.Limited != nil {
		t.Errorf("%d left out, filled %v, limited %v", shard.Dropped, shard.Filled, shard.Limited)
	}
	rows := map[string]bool{}
	for i := range shard.Train.Rows() {
		rows[fmt.Sprint(shard.Train.Row(i), shard.Train.Y[i])] = true
	}
	for _, want := range []string{"[-1 1 -1 1] 1", "[0 -1 1 -1] -1", "[1 -1 1 0] 1"} {
		if !rows[want] {
			t.Errorf("no row %s in %v", want, rows)
		}
	}
	if f, err := ward.Empty(2); err != nil || f.Bound != 2 || !slices.Equal(f.FeatureNames, ward.Features()) {
		t.Errorf("bound %v of %v: %v", f.Bound, f.FeatureNames, err)
	}
}

// A recipe that makes no sense is refused before any file is read, and a text that
// is no category with the list of those that are.
func TestShardRecipeRefuses(t *testing.T) {
	for want, change := range map[string]func(s *Shape){
		`"x" is none of its categories`: func(s *Shape) { s.Fill = map[string]string{"sex": "x"} },
		"age: 101 is out of its range":  func(s *Shape) { s.Fill = map[string]string{"age": "101"} },
		`age: "old" is not a number`:    func(s *Shape) { s.Fill = map[string]string{"age": "old"} },
		`"name" is no feature`:          func(s *Shape) { s.Fill = map[string]string{"name": "1"} },
		`"ill" is the target`:           func(s *Shape) { s.Fill = map[string]string{"ill": "yes"} },
		`"age" has a range`:             func(s *Shape) { s.Categories = map[string][]string{"age": {"1"}} },
		`categories of "sex": m, m`:     func(s *Shape) { s.Categories = map[string][]string{"sex": {"m", "m"}} },
		`two features are called "sex=m"`: func(s *Shape) {
			s.Ranges = map[string][2]float64{"sex=m": {0, 1}, "age": {0, 100}}
		},
	} {
		s := ward
		if change(&s); s.Check() == nil || !strings.Contains(s.Check().Error(), want) || fault.Hint(s.Check()) == "" {
			t.Errorf("%s: %v", want, s.Check())
		}
	}
	_, err := ward.ReadShard(strings.NewReader("zeal,sex,ill,age\n1,d,yes,0\n"), "lyon.csv", 0, 1, 0)
	if err == nil || !strings.Contains(err.Error(), `"sex" is none of its categories`) {
		t.Errorf("%v", err)
	}
	bare := ward
	bare.Fill, bare.SkipMissing = nil, false
	if _, err := bare.ReadShard(strings.NewReader("zeal,sex,ill,age\n1,m,yes,\n"), "lyon.csv", 0, 1, 0); err == nil ||
		!strings.Contains(fault.Hint(err), "fill:") {
		t.Errorf("%v (%s)", err, fault.Hint(err))
	}
}

// A row becomes the same numbers whoever holds it, next to whatever rows: the
// scaling knows the shape alone. All rows are learnt from or kept for testing,
// and none exceeds the bound.
func TestShardRowsDependOnTheShapeAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := clinic
		shape.Unit = rapid.Bool().Draw(t, "unit")
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-200, 300), 2, 2), 1, 12).Draw(t, "rows")
		var text strings.Builder
		text.WriteString("weight,age,ill\n")
		for _, row := range rows {
			fmt.Fprintf(&text, "%v,%v,yes\n", row[0], row[1])
		}
		shard, err := shape.ReadShard(strings.NewReader(text.String()), "x", rapid.Float64Range(0, 0.4).Draw(t, "test"), 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		empty, err := shape.Empty(2)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, b := range []Block{shard.Train, shard.Test} {
			for i := range b.Rows() {
				got[fmt.Sprint(b.Row(i))]++
				if norm := math.Hypot(b.Row(i)[0], b.Row(i)[1]); norm > empty.Bound*(1+1e-15) {
					t.Fatalf("a row of norm %v, the bound is %v", norm, empty.Bound)
				}
			}
		}
		for _, row := range rows {
			want := []float64{max(-1, min(1, (row[1]-50)/50)), max(-1, min(1, (row[0]-90)/50))}
			if norm := math.Hypot(want[0], want[1]); shape.Unit && norm > 0 {
				want[0], want[1] = want[0]/norm, want[1]/norm
			}
			found := false
			for key := range got {
				var x, y float64
				fmt.Sscanf(key, "[%g %g]", &x, &y)
				if math.Abs(x-want[0])+math.Abs(y-want[1]) < 1e-12 {
					found = true
				}
			}
			if !found {
				t.Fatalf("row %v, scaled %v, is not in %v", row, want, got)
			}
		}
		if n := shard.Train.Rows() + shard.Test.Rows(); n != len(rows) {
			t.Fatalf("%d rows of %d", n, len(rows))
		}
	})
}

// Any text ends in an error or in rows that are finite and within range.
func FuzzReadShard(f *testing.F) {
	f.Add("age,weight,ill\n1,60,yes\n2,70,no\n")
	f.Add("zeal,sex,ill,age\n1,m,yes,0\n0,?,no,NA\n,f,yes,3\n")
	f.Add("ill,weight,age,age2\n yes , 1e308,-5,\n")
	f.Add("\ufeffage,weight,ill\n\"1\",60,no\n")
	f.Fuzz(func(t *testing.T, text string) {
		check := func(shape Shape) {
			shard, err := shape.ReadShard(strings.NewReader(text), "x", 0.2, 1, 0)
			if err != nil {
				return
			}
			checkShard(t, text, shard)
		}
		check(clinic)
		check(ward)
	})
}

// checkShard holds what every shard is.
func checkShard(t *testing.T, text string, shard *Shard) {
	for _, x := range append(slices.Clone(shard.Train.X), shard.Test.X...) {
		if !(math.Abs(x) <= 1) {
			t.Fatalf("%q gave %v", text, x)
		}
	}
	for _, y := range append(slices.Clone(shard.Train.Y), shard.Test.Y...) {
		if y != 1 && y != -1 {
			t.Fatalf("%q gave the label %v", text, y)
		}
	}
}
