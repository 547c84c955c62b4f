package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/scatter"
)

// pixels is a file of pictures of so many rows of eight pixels, its columns in any order.
func pixels(name string, tall, rows int) (text string, ranges map[string][2]float64) {
	random, columns := rand.New(rand.NewPCG(1, 1)), []string{"digit"}
	ranges = map[string][2]float64{}
	for r := range tall {
		for c := range 8 {
			column := fmt.Sprintf(name, r, c)
			ranges[column], columns = [2]float64{0, 1}, append(columns, column)
		}
	}
	random.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	text = strings.Join(columns, ",") + "\n"
	for range rows {
		for j, column := range columns {
			value := fmt.Sprintf("%.4f", random.Float64())
			if column == "digit" {
				value = fmt.Sprint(random.IntN(3))
			}
			text += map[bool]string{true: ",", false: ""}[j > 0] + value
		}
		text += "\n"
	}
	return text, ranges
}

// TestShardsAreEncodedAsInASimulation compares rows that a participant encodes with those of a simulation, to the bit.
func TestShardsAreEncodedAsInASimulation(t *testing.T) {
	text, ranges := pixels("r%02dc%d", 12, 30)
	classes := []string{"0", "1", "2"}
	encoding := &scatter.Encoding{Shape: []int{1, 12, 8}, Seed: 3, Steps: []scatter.Step{{Scatter: &scatter.Wavelets{Scales: 1, Angles: 4}}, {Project: 20}}}
	shape := Shape{Target: "digit", Task: Classification, Classes: classes, Ranges: ranges, Encoding: encoding, Unit: true}
	if err := shape.Check(); err != nil {
		t.Fatal(err)
	}
	shard, err := shape.ReadShard(strings.NewReader(text), "lyon.csv", 0, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReadCSV(strings.NewReader(text), "lyon.csv", CSV{Target: "digit", Task: Classification, Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	order := slices.Clone(table.Features)
	slices.Sort(order)
	sorted := *table
	sorted.Features, sorted.X = order, nil
	for i := range table.Rows() {
		for _, name := range order {
			sorted.X = append(sorted.X, table.Row(i)[table.column(name)])
		}
	}
	f, err := Federate(&sorted, Options{Source: "csv", Target: "digit", Task: Classification, Scale: "ranges", Ranges: ranges, Normalise: "unit", Partition: "uniform",
		Nodes: 1, Encoding: func(int) *scatter.Encoding { return encoding }}, 1)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(x []float64) (all []string) {
		for row := range slices.Chunk(x, 20) {
			all = append(all, fmt.Sprintf("%x", row))
		}
		slices.Sort(all)
		return all
	}
	if got, want := lines(shard.Train.X), lines(f.Shards.X); len(got) != 30 || !slices.Equal(got, want) {
		t.Errorf("%d rows differ from those of the simulation", len(got))
	}
}

// TestPixelsMustBeInTheOrderOfTheirNames refuses names by which row 10 of a picture comes before row 2.
func TestPixelsMustBeInTheOrderOfTheirNames(t *testing.T) {
	_, ranges := pixels("r%dc%d", 12, 0)
	shape := Shape{Target: "digit", Task: Classification, Classes: []string{"0", "1"}, Ranges: ranges,
		Encoding: &scatter.Encoding{Shape: []int{1, 12, 8}, Steps: []scatter.Step{{Scatter: &scatter.Wavelets{Scales: 1, Angles: 4}}}}}
	if err := shape.Check(); err == nil || !strings.Contains(err.Error(), "comes before") || !strings.Contains(fault.Hint(err), "as many digits") {
		t.Errorf("%v (%s)", err, fault.Hint(err))
	}
	shape.Encoding.Shape, shape.Encoding.Steps = nil, []scatter.Step{{Project: 3}}
	if err := shape.Check(); err != nil {
		t.Errorf("rows that are no pictures: %v", err)
	}
}

// TestRowsAreDealtToParts deals every row at most once.
func TestRowsAreDealtToParts(t *testing.T) {
	table, _ := pictures(50)
	dealt, err := table.InParts(10, 4, 7)
	if err != nil {
		t.Fatal(err)
	}
	count := map[int32]int{}
	for _, g := range dealt.Groups {
		count[g]++
	}
	if len(count) != 11 || count[-1] != 10 || count[0] != 4 || count[9] != 4 || dealt.GroupNames[0] != "part01" || table.Groups != nil {
		t.Errorf("%v, %v", count, dealt.GroupNames)
	}
	for _, c := range [][2]int{{0, 3}, {3, 0}, {-1, 2}, {5, 11}} {
		if _, err := table.InParts(c[0], c[1], 7); err == nil || fault.Hint(err) == "" {
			t.Errorf("%v: %v", c, err)
		}
	}
}
