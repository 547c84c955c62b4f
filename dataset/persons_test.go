package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// visits is a table of persons, each with the values of its rows.
func visits(ids []string, values [][]int) string {
	var b strings.Builder
	b.WriteString("id,age,ill\n")
	for k, id := range ids {
		for _, v := range values[k] {
			fmt.Fprintf(&b, "%s,%d,%s\n", id, v, []string{"no", "yes"}[v%2])
		}
	}
	return b.String()
}

var visitShape = Shape{Target: "ill", Task: Classification, Classes: []string{"no", "yes"}, Ranges: map[string][2]float64{"age": {0, 1000}}, ByIndex: true,
	Persons: Persons{Column: "id", Rows: 3}}

// ages are the ages of rows, as the file has them.
func ages(b Block) (all []int) {
	for _, x := range b.X {
		all = append(all, int((x+1)*500+0.5))
	}
	return all
}

// Every person is learnt from as so many rows of its own, on one side of the split; ids are names and nothing else; and replacing
// all rows of one person, by more or fewer, leaves all other rows where they are.
func TestAPersonIsSoManyRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 12).Draw(t, "persons")
		ids, others, values := make([]string, n), make([]string, n), make([][]int, n)
		for k := range ids {
			ids[k], others[k] = fmt.Sprint(k), fmt.Sprintf("p%02d", n-k)
			for v := range rapid.IntRange(1, 7).Draw(t, "rows") {
				values[k] = append(values[k], 10*k+v)
			}
		}
		read := func(ids []string, values [][]int) *Shard {
			s, err := visitShape.ReadShard(strings.NewReader(visits(ids, values)), "t.csv", 0.25, 5, 1)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := read(ids, values)
		train, test := ages(s.Train), ages(s.Test)
		if s.Persons != n || s.Records() != n || s.Train.Rows() != 3*Learnt(n, 0.25) {
			t.Fatalf("%d persons, %d rows to learn from", s.Persons, s.Train.Rows())
		}
		more := 0
		for k := 0; k < len(train); k += 3 {
			person, distinct := train[k]/10, len(slices.Compact(slices.Sorted(slices.Values(train[k:k+3]))))
			if train[k+1]/10 != person || train[k+2]/10 != person || distinct != min(3, len(values[person])) {
				t.Fatalf("rows %v of a person with %v", train[k:k+3], values[person])
			}
			if slices.ContainsFunc(test, func(x int) bool { return x/10 == person }) {
				t.Fatalf("person %d is learnt from and kept for testing", person)
			}
			more += max(0, len(values[person])-3)
		}
		if s.Spare.Rows != more {
			t.Errorf("%d rows were left out, and %d are counted", more, s.Spare.Rows)
		}
		if renamed := read(others, values); !slices.Equal(renamed.Train.X, s.Train.X) || !slices.Equal(renamed.Test.X, s.Test.X) {
			t.Error("other ids, other rows")
		}
		which := rapid.IntRange(0, n-1).Draw(t, "which")
		other := slices.Clone(values)
		other[which] = nil
		for v := range rapid.IntRange(1, 7).Draw(t, "its other rows") {
			other[which] = append(other[which], 500+v)
		}
		moved := ages(read(ids, other).Train)
		for k := range train {
			if train[k] != moved[k] && (train[k]/10 != which || moved[k] < 500) {
				t.Fatalf("person %d was replaced, and row %d is %d instead of %d", which, k, moved[k], train[k])
			}
		}
	})
}

// Ids are compared as text, a row without one is refused with its line, and so are two spellings of what may be one id.
func TestIdsOfPersons(t *testing.T) {
	read := func(rows string) (*Shard, error) {
		return visitShape.ReadShard(strings.NewReader("id,age,ill\n"+rows), "t.csv", 0, 1, 0)
	}
	s, err := read("007,1,no\n7,2,yes\n a ,3,no\na,4,yes\nA,5,no\n")
	if err != nil || s.Persons != 4 {
		t.Fatalf("%+v, %v", s, err)
	}
	for rows, want := range map[string]string{
		"7,1,no\n,2,yes\n": "line 3", "7,1,no\n8,2,no\nNA,2,yes\n": "line 4", "7,1,no\nnone,2,yes\n": "line 3", "7,1,no\n7.0,2,yes\n": `"7" and "7.0"`,
	} {
		if _, err := read(rows); err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%q: %v", rows, err)
		}
	}
	if _, err := visitShape.ReadShard(strings.NewReader("age,ill\n1,no\n"), "t.csv", 0, 1, 0); err == nil || !strings.Contains(err.Error(), `no column "id"`) {
		t.Errorf("without the column: %v", err)
	}
}

// A simulation keeps a person's rows together too, at one node, and says of persons in two groups that they are two.
func TestPersonsOfNodes(t *testing.T) {
	table, err := ReadCSV(strings.NewReader("id,town,age,ill\na,x,1,no\nb,x,2,yes\na,y,3,no\na,x,4,yes\nc,y,5,no\nd,y,6,yes\n"), "t.csv",
		CSV{Target: "ill", Task: Classification, Group: "town", Person: "id"})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Source: "csv", Split: "index", Scale: "none", Normalise: "none", Partition: "column:town", Nodes: 2, Names: []string{"x", "y"}, Persons: Persons{"id", 2}}
	f, err := Federate(table, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := f.Shards.Shard(0)
	if slices.Sort(x); !slices.Equal(x, []float64{1, 2, 2, 4}) || !slices.Equal(f.Shards.Offsets, []int{0, 4, 10}) {
		t.Errorf("%v at x, offsets %v", x, f.Shards.Offsets)
	}
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "several groups in 1 cases") || !strings.Contains(notes, "each as 2 rows") {
		t.Error(notes)
	}
}

// Kinds of columns are words and hold no value; what is mixed is text, and a column without values is of no kind.
func TestColumnKinds(t *testing.T) {
	kinds, err := readKinds(strings.NewReader("a;b;c;d;e\n1,5;x;01.02.2024;;1\n2;7;03.04.2024;NA;x\n"), "t.csv", textfile.Notation{Separator: ";", Decimal: ","})
	if want := []ColumnKind{{"a", "numbers"}, {"b", "text"}, {"c", "dates"}, {"d", ""}, {"e", "text"}}; err != nil || !slices.Equal(kinds, want) {
		t.Errorf("%v, %v", kinds, err)
	}
	if _, err := readKinds(strings.NewReader("a,b\n1\n"), "t.csv", textfile.Notation{}); err == nil || !strings.Contains(err.Error(), "line 2 has 1 fields") {
		t.Errorf("a short row: %v", err)
	}
}
