package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A visit is a row of a person in a town.
type visit struct {
	town, id      string
	age, pressure float64
	ill           int
}

func visitTable(rows []visit) string {
	var b strings.Builder
	b.WriteString("town,id,age,pressure,ill\n")
	for _, v := range rows {
		fmt.Fprintf(&b, "%s,%s,%g,%g,%d\n", v.town, v.id, v.age, v.pressure, v.ill)
	}
	return b.String()
}

const visitData = "graph: complete:3\nseed: %d\ndata: {source: csv, path: rows.csv, target: ill, test: %g, scale: ranges, ranges: {age: [0, 100], pressure: [60, 200]}, partition: column:town%s}\n"

// farthest is how far what nodes release, but for noise, is between two tables at a model, over what is charged: at most, of all nodes.
func farthest(t *testing.T, text string, tables [2][]visit, theta func() float64) float64 {
	s := [2]*Priced{}
	for i, table := range tables {
		s[i] = prepare(t, load(t, map[string]string{"spec.yaml": text, "rows.csv": visitTable(table)}))
	}
	local := *s[0].Algorithm.Local()
	local.Noise.Multiplier = 0
	begin, most := make([]float64, local.Params), 0.0
	for j := range begin {
		begin[j] = theta()
	}
	for v := range step.NodeID(3) {
		var at [2][]float64
		for w := range s {
			at[w] = slices.Clone(begin)
			ex := s[w].Examples.Examples(v)
			descent.NewKernel(&local, noise.NewSimulated(1)).Contribute(at[w], &ex, s[w].Algorithm.Scales()[v], 0, &step.Release{From: v})
		}
		square := 0.0
		for j := range at[0] {
			square += (at[0][j] - at[1][j]) * (at[0][j] - at[1][j])
		}
		most = max(most, math.Sqrt(square)/(local.StepSize.At(0)*local.Noise.SensitivityOf(v)))
	}
	return most
}

// Where all rows of a person, however many, are replaced by any others, as many or not, what any node releases moves by no more than
// the sensitivity that is charged, wherever the model is. For random specs, clips and tables.
func TestOnePersonMovesNoMoreThanTheSensitivity(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of tables")
	}
	rapid.Check(t, func(r *rapid.T) {
		rowsOf := func(town, id string) (rows []visit) {
			for range rapid.IntRange(1, 6).Draw(r, "rows") {
				rows = append(rows, visit{town, id, rapid.Float64Range(-50, 300).Draw(r, "age"), rapid.Float64Range(50, 250).Draw(r, "pressure"), rapid.IntRange(0, 1).Draw(r, "ill")})
			}
			return rows
		}
		var tables [2][]visit
		which := rapid.IntRange(0, 11).Draw(r, "which")
		for k := range 12 {
			town := []string{"Lille", "Lyon", "Nice"}[k%3]
			rows := rowsOf(town, fmt.Sprint(k))
			tables[0], tables[1] = append(tables[0], rows...), append(tables[1], rows...)
			if k == which {
				tables[1] = append(tables[1][:len(tables[1])-len(rows)], rowsOf(town, fmt.Sprint(k))...)
			}
		}
		text := fmt.Sprintf(visitData, rapid.IntRange(1, 99).Draw(r, "seed"), rapid.SampledFrom([]float64{0, 0.25}).Draw(r, "test"),
			fmt.Sprintf(", classes: ['0', '1'], person: id, rows_per_person: %d", rapid.IntRange(1, 5).Draw(r, "most")))
		turnless := slices.DeleteFunc(slices.Clone(recordSpecs.algorithm), func(text string) bool { return strings.Contains(text, "epoch") }) // a person's rows would be in several batches
		text += fmt.Sprintf(rapid.SampledFrom(turnless).Draw(r, "algorithm"), rapid.Float64Range(0.01, 3).Draw(r, "clip")) + "\n"
		text += "privacy: {unit: record, sigma: 4}\n"
		if moved := farthest(t, text, tables, func() float64 { return rapid.Float64Range(-3, 3).Draw(r, "parameter") }); moved > 1+1e-9 {
			r.Fatalf("one person moves a node by %g of what is charged\n%s", moved, text)
		}
	})
}

// A person with four rows moves a node by nearly all that is charged, and where rows are the unit by four times as much: what the
// plan for --rows-each 4 charges.
func TestSeveralRowsMoveMoreThanOne(t *testing.T) {
	var tables [2][]visit
	for w := range tables {
		for k := range 12 {
			for range 4 {
				v := visit{[]string{"Lille", "Lyon", "Nice"}[k%3], fmt.Sprint(k), 100, 200, 1}
				if k == 4 && w == 1 {
					v.ill = 0
				}
				tables[w] = append(tables[w], v)
			}
		}
	}
	const algorithm = "algorithm: {kind: gossip-gd, steps: 5, step_size: 0.1, clip: 0.2}\nprivacy: {unit: record, sigma: 4}\n"
	zero := func() float64 { return 0 }
	rows := farthest(t, fmt.Sprintf(visitData, 1, 0.0, ", classes: ['0', '1'], drop: [id]")+algorithm, tables, zero)
	persons := farthest(t, fmt.Sprintf(visitData, 1, 0.0, ", classes: ['0', '1'], person: id, rows_per_person: 4")+algorithm, tables, zero)
	if math.Abs(rows-4) > 1e-6 || !(persons <= 1+1e-9) || persons < 0.999 {
		t.Errorf("a person moves a node by %g of what a row is charged, and by %g of what a person is charged", rows, persons)
	}
}

// Results, plans and explanations say that a record is all rows of a person, and how many are used; the audit replaces as many; and
// every accountant charges by the number of persons, whatever rows each has.
func TestPersonsStandBesideEveryNumber(t *testing.T) {
	testdata.Sequential(t)
	var rows []visit
	for k := range 40 {
		for i := range 1 + k%3 {
			rows = append(rows, visit{[]string{"Lille", "Lyon", "Nice"}[k%3], fmt.Sprintf("p%d", k), float64(20 + k + i), float64(100 + 3*k), k / 3 % 2})
		}
	}
	data := fmt.Sprintf(visitData, 1, 0.0, ", person: id, rows_per_person: %d")
	for algorithm, accountants := range map[string][]string{
		"{steps: 30, step_size: 0.1, clip: 0.3, contributions: 12}":                          {"path", "local"},
		"{kind: gossip-gd, steps: 6, step_size: 0.1, clip: 0.3}":                             {"local", "flow"},
		"{kind: gossip-gd, steps: 6, step_size: 0.1, clip: 0.3, pairwise: 2}":                {"pairwise"},
		"{kind: central, steps: 30, step_size: 0.1, clip: 0.3}":                              {"tight"},
		"{kind: complete-histogram, steps: 60, contributions: 12}\nmodel: {kind: histogram}": {"local"},
	} {
		for _, name := range accountants {
			var max [2]float64
			for i, most := range []int{1, 3} {
				text := fmt.Sprintf(data, most) + "algorithm: " + algorithm + "\nprivacy: {unit: record, record_name: patient, sigma: " + map[bool]string{true: "0.6", false: "3"}[strings.Contains(algorithm, "histogram")] + ", accountant: " + name + "}\n"
				s := prepare(t, load(t, map[string]string{"spec.yaml": text, "rows.csv": visitTable(rows)}))
				p := runSetup(t, s).Result.Privacy
				max[i] = float64(p.Max)
				if want := fmt.Sprintf("all rows of one patient, at most %d", most); p.OneRecord() != want || s.Records(0) != 14 || s.Rows(0) != 14*most {
					t.Errorf("%s %s: %q, %d records of %d rows", algorithm, name, p.OneRecord(), s.Records(0), s.Rows(0))
				}
				if all := strings.Join(p.Assumptions, "\n"); !strings.Contains(all, "a record is all rows with one value of column id") {
					t.Errorf("%s %s: %s", algorithm, name, all)
				}
				if _, err := s.ForRows(3); err == nil || !strings.Contains(err.Error(), "--rows-each") {
					t.Errorf("%s %s: a plan for three rows: %v", algorithm, name, err)
				}
			}
			if !(max[0] > 0) || math.Abs(max[0]-max[1]) > 1e-6*max[0] {
				t.Errorf("%s %s: at most one row of each costs %v, at most three %v", algorithm, name, max[0], max[1])
			}
		}
	}
}

// What makes no sense of persons, or has no bound for them, is refused with a way out.
func TestPersonsAreRefusedWhereNothingIsKnown(t *testing.T) {
	const person = ", person: id, rows_per_person: 2"
	privacy := "privacy: {unit: record, sigma: 4}\n"
	gossip := "algorithm: {kind: gossip-sgd, steps: 5, step_size: 0.1, clip: 0.2, batch: 2}\n"
	for text, want := range map[string]string{
		fmt.Sprintf(visitData, 1, 0.2, person) + gossip + "privacy: {sigma: 4}\n":                                                     "unit of privacy is a participant",
		fmt.Sprintf(visitData, 1, 0.2, ", person: id") + gossip + privacy:                                                             "rows_per_person: 0",
		fmt.Sprintf(visitData, 1, 0.2, ", rows_per_person: 2") + gossip + privacy:                                                     "no column says",
		fmt.Sprintf(visitData, 1, 0.2, ", person: age, rows_per_person: 2") + gossip + privacy:                                        "something else",
		fmt.Sprintf(visitData, 1, 0.2, person) + strings.Replace(gossip, "batch: 2", "rate: 0.1", 1) + privacy:                        "one by one",
		fmt.Sprintf(visitData, 1, 0.2, person) + strings.Replace(gossip, "batch: 2", "epoch: 2", 1) + privacy:                         "in several batches",
		strings.Replace(fmt.Sprintf(visitData, 1, 0.2, person), "source: csv, path: rows.csv", "source: heart", 1) + gossip + privacy: "source heart",
	} {
		if _, err := Parse([]byte(text), "spec.yaml"); err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
}
