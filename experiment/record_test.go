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
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/step"
)

// towns is a table of rows of three towns.
func towns(rows []string) string {
	return "town,age,pressure,sex,ill\n" + strings.Join(rows, "\n") + "\n"
}

// recordSpecs are what a spec may say of records, in pieces that are drawn.
var recordSpecs = struct{ model, algorithm, data []string }{
	model: []string{"model: {kind: logistic}", "model: {kind: logistic, intercept: false, l2: 0.1}", "model: {kind: ridge}"},
	algorithm: []string{
		"algorithm: {steps: 9, step_size: 0.1, clip: %g, contributions: 5}", "algorithm: {steps: 9, step_size: 0.1, clip: %g, contributions: 5, weigh_rows: 9}",
		"algorithm: {kind: gossip-gd, steps: 5, step_size: 0.1, clip: %g}", "algorithm: {kind: gossip-sgd, steps: 5, step_size: 0.1, clip: %g, batch: 2}",
		"algorithm: {kind: gossip-sgd, steps: 5, step_size: 0.1, clip: %g, epoch: 2, weigh_rows: 9}", "algorithm: {kind: gossip-sgd, steps: 5, step_size: 0.1, clip: %g, epoch: 4}",
		"algorithm: {kind: local, steps: 5, step_size: 0.1, clip: %g, contributions: 3}", "algorithm: {kind: central, steps: 5, step_size: 0.1, clip: %g}",
	},
	data: []string{"partition: column:town", "partition: column:town, missing: drop", "partition: column:town, normalise: none",
		"partition: uniform, drop: [town]"},
}

// Where one row of a table is replaced by any other, the nodes that do not hold it, and
// the rows kept for testing, stay as they are, and what its holder releases moves, but for
// its noise, by no more than the sensitivity that is charged, wherever the model is. For
// random specs, clips and tables.
func TestOneRowMovesNoMoreThanItsSensitivity(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of tables")
	}
	rapid.Check(t, func(r *rapid.T) {
		row := func(town string) string {
			sex := rapid.SampledFrom([]string{"f", "m"}).Draw(r, "sex")
			return fmt.Sprintf("%s,%g,%g,%s,%d", town, rapid.Float64Range(-50, 300).Draw(r, "age"), rapid.Float64Range(50, 250).Draw(r, "pressure"), sex,
				rapid.IntRange(0, 1).Draw(r, "ill"))
		}
		var rows []string
		for _, town := range []string{"Lille", "Lyon", "Nice"} {
			for range rapid.IntRange(4, 9).Draw(r, "rows of a town") {
				rows = append(rows, row(town))
			}
		}
		rows[0], rows[1] = "Lille,50,120,f,0", "Lille,60,130,m,1" // both labels are there whatever becomes of a row
		other := slices.Clone(rows)
		k := rapid.IntRange(2, len(rows)-1).Draw(r, "which")
		town, _, _ := strings.Cut(rows[k], ",")
		other[k] = row(town)
		text := fmt.Sprintf("graph: complete:3\nseed: %d\ndata: {source: csv, path: rows.csv, target: ill, test: %g, categories: {sex: [f, m]}, scale: ranges, ranges: {age: [0, 100], pressure: [60, 200], ill: [0, 1]}, %s}\n",
			rapid.IntRange(1, 99).Draw(r, "seed"), rapid.SampledFrom([]float64{0, 0.25}).Draw(r, "test"), rapid.SampledFrom(recordSpecs.data).Draw(r, "data"))
		text += fmt.Sprintf(rapid.SampledFrom(recordSpecs.algorithm).Draw(r, "algorithm"), rapid.Float64Range(0.01, 3).Draw(r, "clip")) + "\n"
		text += "privacy: {unit: record, sigma: 4}\n"
		kind := rapid.SampledFrom(recordSpecs.model).Draw(r, "model")
		if text += kind + "\n"; strings.Contains(kind, "ridge") {
			text = strings.Replace(text, "target: ill,", "target: ill, task: regression,", 1)
		}
		if !strings.Contains(text, "ridge") {
			text = strings.Replace(text, ", ill: [0, 1]}", "}", 1)
		}
		if strings.Contains(text, "normalise: none") { // nothing else than the local loss has ground
			text = strings.Replace(text, "sigma: 4", "sigma: 4, accountant: "+map[bool]string{true: "tight", false: "local"}[strings.Contains(text, "central")], 1)
		}
		s := [2]*Priced{}
		for i, table := range [][]string{rows, other} {
			s[i] = prepare(t, load(t, map[string]string{"spec.yaml": text, "rows.csv": towns(table)}))
		}
		local := *s[0].Algorithm.Local()
		std := local.Noise.Std()
		if local.Noise.Multiplier = 0; local.Fill {
			r.Fatal("fill")
		}
		theta := make([]float64, local.Params)
		for j := range theta {
			theta[j] = rapid.Float64Range(-3, 3).Draw(r, "parameter")
		}
		moved := 0
		for v := range step.NodeID(3) {
			a, b := s[0].Examples.Examples(v), s[1].Examples.Examples(v)
			if a.Len() != b.Len() || s[0].Algorithm.Scales()[v] != s[1].Algorithm.Scales()[v] {
				r.Fatalf("node %d learns from %d rows or from %d, at scales %v and %v", v, a.Len(), b.Len(), s[0].Algorithm.Scales()[v], s[1].Algorithm.Scales()[v])
			}
			if !slices.Equal(a.X, b.X) || !slices.Equal(a.Y, b.Y) {
				moved++
			}
			charged := local.Noise.SensitivityOf(v)
			for batch := range max(1, local.Epoch) {
				x, y, p, q := slices.Clone(theta), slices.Clone(theta), dealt(a, local.Epoch, batch), dealt(b, local.Epoch, batch)
				if p.Len() == 0 {
					continue
				}
				release := step.Release{From: v}
				descent.NewKernel(&local, noise.NewSimulated(1)).Contribute(x, &p, s[0].Algorithm.Scales()[v], 0, &release)
				descent.NewKernel(&local, noise.NewSimulated(1)).Contribute(y, &q, s[1].Algorithm.Scales()[v], 0, &step.Release{From: v})
				square := 0.0
				for j := range x {
					square += (x[j] - y[j]) * (x[j] - y[j])
				}
				if distance := math.Sqrt(square); distance > local.StepSize.At(0)*charged*(1+1e-9)+1e-15 || release.Sensitivity != charged {
					r.Fatalf("one row moves a step of node %d by %g, %g is charged (%g)", v, distance, local.StepSize.At(0)*charged, release.Sensitivity)
				}
			}
			// and what is charged for it: a Gaussian of that sensitivity under the noise of all
			if local := s[0].Accounting.Accounts[0]; local.Accountant == "local" {
				contributions := float64(s[0].Algorithm.Contributions())
				if c, ok := s[0].Algorithm.(family.Charger); ok {
					contributions = float64(c.Charged())
				}
				want := privacy.EpsilonGaussian(math.Sqrt(contributions)*charged/std, 1e-6)
				if got := local.At(int(v), int(v+1)%3); math.Abs(got-want) > 1e-9*want {
					r.Fatalf("node %d is charged %v, want %v", v, got, want)
				}
			}
		}
		if same := slices.Equal(s[0].Test.X, s[1].Test.X) && slices.Equal(s[0].Test.Y, s[1].Test.Y); moved > 1 || moved == 1 && !same {
			r.Fatalf("one row moves the rows of %d nodes, test rows are the same: %v", moved, same)
		}
	})
}

// dealt is a batch of rows that take turns, and all rows if epoch is 0.
func dealt(ex model.Examples, epoch, batch int) model.Examples {
	if epoch == 0 {
		return ex
	}
	rows := model.Examples{Features: ex.Features}
	for i := batch; i < ex.Len(); i += epoch {
		x, y := ex.Row(i)
		rows.X, rows.Y = append(rows.X, x...), append(rows.Y, y)
	}
	return rows
}

// The unit stands beside every number, and who has fewer rows loses more.
func TestRecordsAreTheUnitWhereverANumberIs(t *testing.T) {
	testdata.Sequential(t)
	var rows []string
	for i := range 40 {
		town := []string{"Lille", "Lyon", "Lyon", "Nice", "Nice", "Nice", "Nice"}[i%7]
		rows = append(rows, fmt.Sprintf("%s,%d,%d,%s,%d", town, 30+i, 100+2*(i%17), []string{"f", "m"}[i%2], i/3%2))
	}
	const data = "trials: 3\ndata: {source: csv, path: rows.csv, target: ill, test: 0.25, scale: ranges, ranges: {age: [0, 100], pressure: [60, 200]}, drop: [sex], partition: column:town}\ngraph: complete:3\n"
	for algorithm, accountants := range map[string][]string{
		"{steps: 30, step_size: 0.1, clip: 0.3, contributions: 12}":              {"path", "local"},
		"{kind: gossip-gd, steps: 6, step_size: 0.1, clip: 0.3}":                 {"local", "flow"},
		"{kind: gossip-gd, steps: 6, step_size: 0.1, clip: 0.3, pairwise: 2}":    {"pairwise", "sound"},
		"{kind: central, steps: 30, step_size: 0.1, clip: 0.3}":                  {"tight"},
		"{kind: local, steps: 30, step_size: 0.1, clip: 0.3, contributions: 12}": {"local"},
	} {
		for _, name := range accountants {
			text := data + "algorithm: " + algorithm + "\nprivacy: {unit: record, record_name: patient, calibrate: {max: 1}, accountant: " + name + "}\n"
			s := prepare(t, load(t, map[string]string{"spec.yaml": text, "rows.csv": towns(rows)}))
			b := runSetup(t, s)
			p := b.Result.Privacy
			if p.Unit != "record" || !strings.HasPrefix(p.Assumptions[0], "unit of privacy: record") || p.Status != "sound" {
				t.Errorf("%s %s: %s, %s, %v", algorithm, name, p.Unit, p.Status, p.Assumptions[0])
			}
			for _, other := range p.Others {
				if !strings.HasPrefix(other.Assumptions[0], "unit of privacy: record") {
					t.Errorf("%s beside %s: %v", other.Accountant, name, other.Assumptions[0])
				}
			}
			at := b.Losses[0].At
			if lille, nice := at(0, 1), at(2, 1); !(float64(p.Max) <= 1 && float64(p.Max) > 0.999 && lille == float64(p.Max) && nice < 0.8*lille) {
				t.Errorf("%s %s: max %v, Lille with fewest rows loses %v, Nice with most %v", algorithm, name, p.Max, lille, nice)
			}
			if name == "path" || strings.Contains(algorithm, "gossip") {
				e, err := s.Explain(0, 2)
				if err != nil || !strings.HasPrefix(e.Assumptions[0], "unit of privacy: record") || math.Abs(e.Epsilon-at(0, 2)) > 1e-3*at(0, 2) {
					t.Errorf("%s %s: explained %v, charged %v (%v)", algorithm, name, e.Epsilon, at(0, 2), err)
				}
			}
			if first, second := b.Result.Trials[0].Final.TestLoss, b.Result.Trials[1].Final.TestLoss; first == second {
				t.Errorf("%s %s: two trials have the same test rows", algorithm, name)
			}
		}
	}
}

// What one record could change besides its own gradient is refused, with a way out.
func TestRecordsRefuseWhatLooksAtAllRows(t *testing.T) {
	for change, wanted := range map[[2]string]string{
		{"clip: 0.3", "clip: 0.3, fill: true"}:                                      "fill",
		{"clip: 0.3", "clip: 1.0e200"}:                                              "clip",
		{"features: 4", "features: 4, scale: standardise"}:                          "standardise",
		{"features: 4", "features: 4, partition: \"dirichlet:0.3\""}:                "partition",
		{"features: 4", "features: 4, split: class"}:                                "split",
		{"accountant: local", "accountant: published"}:                              "published",
		{"accountant: local", "accountant: local, record_name: \"<b>patient</b>\""}: "record_name",
		{"two-gaussians", "houses, path: houses.csv"}:                               "houses",
	} {
		text := strings.Replace(strings.Replace(small, "accountant: local", "accountant: local, unit: record", 1), change[0], change[1], 1)
		if !strings.Contains(text, "unit: record") {
			text = strings.Replace(text, "accountant: published", "accountant: published, unit: record", 1)
		}
		s, err := Parse([]byte(text), "small.yaml")
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), wanted) || fault.Hint(err) == "" {
			t.Errorf("%v: %v (%s)", change, err, fault.Hint(err))
		}
	}
}

// Four hospitals, every patient at epsilon 1 against everybody: the example, on its
// stand-in, and on the heart data where that is to be had.
func TestHospitalsProtectEveryPatient(t *testing.T) {
	testdata.Sequential(t)
	protects := func(t *testing.T, accuracy float64, set ...string) {
		s, err := Load("../examples/hospitals/heart.yaml", set...)
		if err != nil {
			t.Fatal(err)
		}
		r := runSetup(t, prepare(t, s)).Result
		if p := r.Privacy; p.Unit != "record" || p.RecordName != "patient" || p.Status != "sound" || !(p.Max <= 1) || p.Accountant != "local" || len(r.Trials) != 20 {
			t.Errorf("%+v, %d trials", p, len(r.Trials))
		}
		if got := *r.Final.TestAccuracy; got < accuracy {
			t.Errorf("%v of unseen patients", got)
		}
	}
	t.Run("stand-in", func(t *testing.T) { protects(t, 0.74) })
	t.Run("heart", func(t *testing.T) { protects(t, 0.76, "data.path="+testdata.Shared(t, "data/heart")) })
}

// What an attacker attains who knows all rows of a node but one stays below what is
// charged for that one, and comes near it: replacing all of them would be far above.
// False alarms: 1 in 1000.
func TestAuditReplacesOneRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs")
	}
	text := strings.Replace(fmt.Sprintf(testdata.Audited, "complete:3", 12, 4, "0", 2.0, 0.01, "final"), "privacy: {", "privacy: {unit: record, ", 1)
	a, err := auditSetup(t, text).Audit(t.Context(), 0, 1, 4000, 0.999, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Refuted || float64(a.Audit.Loss) < 0.2*float64(a.Least) {
		t.Errorf("the attack attains %v of at most %v", a.Audit.Loss, a.Least)
	}
	all := a.Bounds[0].Assumptions[0]
	if !strings.HasPrefix(all, "unit of privacy: record") {
		t.Errorf("%s", all)
	}
}
