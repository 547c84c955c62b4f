package sweep

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
)

// A row of repeats has the means of their numbers, with standard deviations and Student's intervals: against the definitions.
func TestARowOfRepeatsIsTheirMean(t *testing.T) {
	scores := []float64{0.5, 0.75, 0.625, 1}
	fields := []Field{{"x", []string{"1"}}}
	seeded, err := Repeats(fields, 1<<64-2, 4)
	if err != nil || !slices.Equal(seeded[1].Values, []string{"18446744073709551614", "18446744073709551615", "0", "1"}) || len(fields) != 1 {
		t.Fatal(seeded, err)
	}
	s := Sweep{Fields: seeded, Workers: 2, Key: func(settings []string) string { return strings.Join(settings, " ") }}
	s.Run = cellsOf(func(i int) *report.Result { return scored(scores[i], 2+float64(i)) }, seeded[1].Values)
	rows, err := s.Rows(t.Context(), func(Row, bool) {})
	if err != nil {
		t.Fatal(err)
	}
	all := Together(nil, rows, 4)
	r := all[0]
	if len(all) != 1 || r.Repeats != 4 || r.Varies == "" || !slices.Equal(r.Values, []string{"1"}) || !r.Best {
		t.Fatalf("%+v", all)
	}
	const mean = (0.5 + 0.75 + 0.625 + 1) / 4
	square := 0.0
	for _, x := range scores {
		square += (x - mean) * (x - mean)
	}
	std, student := math.Sqrt(square/3), 3.18245 // 0.975 quantile of three degrees of freedom
	for _, c := range []struct{ got, want float64 }{
		{float64(r.Score), mean}, {float64(r.Spread.Score.Std), std}, {float64(r.Std), std}, {float64(r.Spread.Score.Low), mean - student*std/2}, {float64(r.Spread.Score.High), min(1, mean+student*std/2)},
		{float64(r.Mean), 3.5}, {float64(r.Spread.Mean.Std), math.Sqrt(5.0 / 3)}, {float64(r.Spread.Mean.High), 3.5 + student*math.Sqrt(5.0/3)/2},
	} {
		if math.Abs(c.got-c.want) > 1e-5 {
			t.Errorf("%g instead of %g", c.got, c.want)
		}
	}
	var table, page, text bytes.Buffer
	if err := errors.Join(WriteCSV(&table, fields, all), WritePage(&page, "s", fields, all), WriteText(&text, fields, all)); err != nil {
		t.Fatal(err)
	}
	keys, read, err := ReadCSV(&table, 9)
	if err != nil || !slices.Equal(keys, []string{"x"}) || math.Abs(float64(read[0].Spread.Score.Low-r.Spread.Score.Low)) > 1e-7 || read[0].Repeats != 4 || read[0].Varies != r.Varies {
		t.Errorf("%v, %+v, %v", keys, read, err)
	}
	if !strings.Contains(text.String(), "1 settings, each the mean of 4 repeats") || !strings.Contains(text.String(), "+- 0.2135 [") {
		t.Error(text.String())
	}
}

// A repeat that failed is not left out of a mean, and losses of two kinds have none.
func TestRepeatsThatHaveNoMean(t *testing.T) {
	good := func() Row { return NewRow(Cell{Values: []string{"1", "7"}}, scored(0.5, 1)) }
	failed, other := good(), good()
	failed.Error, failed.Hint = "it diverged", "smaller steps"
	other.Observer = "all messages"
	for want, row := range map[string]Row{"1 of 2 repeats failed: it diverged": failed, "losses of several kinds": other} {
		all := Together(nil, []Row{good(), row}, 2)
		if len(all) != 1 || !strings.Contains(all[0].Error, want) || all[0].Hint == "" || all[0].Best {
			t.Errorf("%s: %+v", want, all)
		}
	}
	for _, times := range []int{0, -1, MostRepeats + 1} {
		if _, err := Repeats(nil, 1, times); err == nil {
			t.Errorf("%d repeats", times)
		}
	}
	if _, err := Repeats([]Field{{"seed", []string{"1"}}}, 1, 2); err == nil {
		t.Error("seeds of two kinds")
	}
}

// Where the worst pair's loss is calibrated, a row with a larger mean is not worse.
func TestTheFrontierIsByWhatIsCalibrated(t *testing.T) {
	a, b := NewRow(Cell{Values: []string{"{max: 1}"}}, scored(0.9, 2)), NewRow(Cell{Values: []string{"{max: 1}"}}, scored(0.8, 1))
	a.Max, b.Max = 1, 1
	for key, best := range map[string]bool{"privacy.calibrate": false, "privacy.calibrate.max": false, "privacy.sigma": true} {
		rows := []Row{a, b}
		Frontier(rows, LossAxis(FieldsOf([]string{key}, rows)))
		if !rows[0].Best || rows[1].Best != best {
			t.Errorf("%s: %v, %v", key, rows[0].Best, rows[1].Best)
		}
	}
}

// The frontier of means does not end with the luckiest seed: where settings are all alike and noise decides, single cells promise more
// than the best mean by about the spread of a cell.
func TestTheFrontierIsOfMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows []Row
	for range 20 {
		for range 10 {
			rows = append(rows, NewRow(Cell{Values: []string{"x", "s"}}, scored(0.6+0.1*rng.NormFloat64(), 1)))
		}
	}
	best := func(rows []Row) (most float64) {
		for _, r := range rows {
			if r.Best {
				most = max(most, float64(r.Score))
			}
		}
		return most
	}
	Frontier(rows, LossAxis(nil))
	if single, mean := best(rows), best(Together(nil, rows, 10)); single < 0.8 || mean > 0.7 {
		t.Errorf("best cell %g, best mean %g", single, mean)
	}
}

// Losses towards another observer, or that do not cover the final model, are of another kind: neither beats the other.
func TestKindsDoNotShareAFrontier(t *testing.T) {
	for name, change := range map[string]func(*Row){
		"observer": func(r *Row) { r.Observer = "everybody together" }, "model": func(r *Row) { r.Covers = true }, "status": func(r *Row) { r.Status = report.SoundIf },
		"metric": func(r *Row) { r.Metric = "another" }, "unit": func(r *Row) { r.Unit = "record" },
	} {
		good, bad := NewRow(Cell{}, scored(0.9, 1)), NewRow(Cell{}, scored(0.5, 2))
		if !good.beats(bad, LossAxis(nil)) {
			t.Fatal("it does not beat what is worse in both")
		}
		change(&bad)
		rows := []Row{good, bad}
		Frontier(rows, LossAxis(nil))
		if !rows[0].Best || !rows[1].Best || len(kindsOf(rows)) != 2 {
			t.Errorf("%s: %+v", name, rows)
		}
	}
}

// Scores on different data are not compared: each data set has a frontier of its own.
func TestDataSetsDoNotShareAFrontier(t *testing.T) {
	rows := []Row{NewRow(Cell{Values: []string{"houses"}}, scored(0.9, 1)), NewRow(Cell{Values: []string{"heart"}}, scored(0.5, 2))}
	for key, both := range map[string]bool{"data.source": true, "data.path": true, "data": true, "graph": false} {
		Frontier(rows, LossAxis(FieldsOf([]string{key}, rows)))
		if !rows[0].Best || rows[1].Best != both {
			t.Errorf("%s: %v, %v", key, rows[0].Best, rows[1].Best)
		}
	}
}
