package dataset

import (
	"bytes"
	"compress/gzip"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// options returns the defaults of a source with a path into the reference data.
func options(t testing.TB, source, path string) Options {
	t.Helper()
	o, err := Defaults(source)
	if err != nil {
		t.Fatal(err)
	}
	if path != "" {
		o.Path = testdata.Shared(t, path)
	}
	return o
}

func load1(t testing.TB, o Options) *Table {
	t.Helper()
	table, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func counts(t *Table) map[string]int {
	m := make(map[string]int)
	for _, c := range Describe(t).Classes {
		m[c.Meaning] = c.Rows
	}
	return m
}

func TestHousesHasBothTasks(t *testing.T) {
	o := options(t, "houses", "data/houses/houses.csv")
	table := load1(t, o)
	s := Describe(table)
	if s.Rows != 20640 || len(s.Features) != 8 || s.Classes[0].Rows != 11726 || s.Classes[1].Rows != 8914 {
		t.Errorf("longitude: %d rows, %d features, classes %v", s.Rows, len(s.Features), s.Classes)
	}
	if table.column("median_house_value") < 0 || table.column("longitude") >= 0 {
		t.Errorf("longitude: features %v", table.Features)
	}
	if s.Files[0].State != Matches {
		t.Errorf("checksum %s", s.Files[0].State)
	}

	o.Target = "median_house_value"
	s = Describe(load1(t, o))
	if s.Classes[0].Rows != 8385 || s.Classes[1].Rows != 12255 {
		t.Errorf("median_house_value: classes %v", s.Classes)
	}

	o.Task = Regression
	table = load1(t, o)
	if mean := average(table.Y); math.Abs(mean-206855.81690891474) > 1e-6 || table.Classes != nil {
		t.Errorf("regression: mean %v, classes %v", mean, table.Classes)
	}
}

// A table of our own with the columns of the California one has both tasks too.
func TestOwnHousesHaveBothTasks(t *testing.T) {
	o := options(t, "houses", "")
	o.Path = testdata.Houses(t, 500)
	for _, target := range []string{"longitude", "median_house_value"} {
		o.Target, o.Task = target, Regression
		values := load1(t, o).Y
		o.Task = Classification
		table := load1(t, o)
		if table.Rows() != 500 || len(table.Features) != 8 || table.column(target) >= 0 || len(table.Notes) == 0 {
			t.Errorf("%s: %d rows, features %v, notes %q", target, table.Rows(), table.Features, table.Notes)
		}
		for i, y := range table.Y {
			if (y > 0) != (values[i] < average(values)) {
				t.Fatalf("%s: row %d of %v has label %v", target, i, values[i], y)
			}
		}
	}
}

// Files of our own in the form of Adult: the test part need not use the last feature.
func TestOwnAdultHasItsTest(t *testing.T) {
	o := options(t, "adult", "")
	o.Path = writeFiles(t, map[string][]byte{"a9a": []byte("-1 3:1 11:1\n+1 5:1 123:1\n-1 1:1\n"), "a9a.t": []byte("+1 2:1 7:1\n-1 4:1\n")})
	table := load1(t, o)
	if table.Rows() != 5 || table.OwnTest != 2 || len(table.Features) != 123 || !slices.Equal(table.Y, []float64{-1, 1, -1, 1, -1}) {
		t.Errorf("%d rows, %d of them test, %d features, labels %v", table.Rows(), table.OwnTest, len(table.Features), table.Y)
	}
	if c := counts(table); c["above 50K"] != 2 || c["at most 50K"] != 3 {
		t.Errorf("classes %v", c)
	}
	o.Path = filepath.Join(o.Path, "a9a.t")
	if table := load1(t, o); len(table.Features) != 123 || table.Rows() != 2 || table.OwnTest != 0 {
		t.Errorf("%d rows x %d features, own test %d", table.Rows(), len(table.Features), table.OwnTest)
	}
}

// Four files of our own in the form of the heart study.
func TestOwnHeartHasFourHospitals(t *testing.T) {
	o := options(t, "heart", "")
	o.Path = testdata.Heart(t)
	s := Describe(load1(t, o))
	for g, want := range []GroupCount{{Name: "cleveland", Rows: 25}, {Name: "hungarian", Rows: 30}, {Name: "switzerland", Rows: 35}, {Name: "va", Rows: 40}} {
		if got := s.Groups[g]; got.Name != want.Name || got.Rows != want.Rows {
			t.Errorf("group %d: got %v, want %v", g, got, want)
		}
	}
	if s.Rows != 130 || s.Dropped != 26 || len(s.Features) != 10 {
		t.Errorf("%d rows, %d dropped, features %v", s.Rows, s.Dropped, s.Features)
	}
	if notes := strings.Join(s.Notes, " "); !strings.Contains(notes, "switzerland 35") {
		t.Errorf("the unmeasured cholesterol of switzerland is not noted: %q", notes)
	}
	o.Drop = append(o.Drop, "chol")
	if table := load1(t, o); strings.Contains(strings.Join(table.Notes, " "), "chol") || table.column("chol") >= 0 || table.Rows() != 130 {
		t.Errorf("%d rows, features %v, notes %q", table.Rows(), table.Features, table.Notes)
	}
}

func TestAdultHasItsOwnTest(t *testing.T) {
	table := load1(t, options(t, "adult", "data/adult"))
	if table.Rows() != 32561+16281 || table.OwnTest != 16281 || len(table.Features) != 123 {
		t.Fatalf("%d rows, %d of them test, %d features", table.Rows(), table.OwnTest, len(table.Features))
	}
	if c := counts(table); c["above 50K"] != 7841+3846 || c["at most 50K"] != 24720+12435 {
		t.Errorf("classes %v", c)
	}
	for _, f := range Describe(table).Files {
		if f.State != Matches {
			t.Errorf("%s: checksum %s", f.Path, f.State)
		}
	}
}

func TestAdultTestPartKeepsItsDimension(t *testing.T) {
	table := load1(t, options(t, "adult", "data/adult/a9a.t"))
	if len(table.Features) != 123 || table.Rows() != 16281 || table.OwnTest != 0 {
		t.Errorf("%d rows x %d features, own test %d", table.Rows(), len(table.Features), table.OwnTest)
	}
}

func TestHeartHasFourHospitals(t *testing.T) {
	table := load1(t, options(t, "heart", "data/heart"))
	s := Describe(table)
	want := []GroupCount{{"cleveland", 303, []int{164, 139}}, {"hungarian", 261, nil}, {"switzerland", 46, nil}, {"va", 130, nil}}
	for g, w := range want {
		got := s.Groups[g]
		if got.Name != w.Name || got.Rows != w.Rows || (w.Classes != nil && !slices.Equal(got.Classes, w.Classes)) {
			t.Errorf("group %d: got %v, want %v", g, got, w)
		}
	}
	if s.Rows != 740 || s.Dropped != 920-740 || len(s.Features) != 10 {
		t.Errorf("%d rows, %d dropped, features %v", s.Rows, s.Dropped, table.Features)
	}
	if notes := strings.Join(s.Notes, " "); !strings.Contains(notes, "switzerland 46") {
		t.Errorf("the unmeasured cholesterol of switzerland is not noted: %q", notes)
	}
}

func TestHeartWithoutCholesterol(t *testing.T) {
	o := options(t, "heart", "data/heart")
	o.Drop = append(o.Drop, "chol")
	table := load1(t, o)
	if len(table.Notes) != 0 || table.column("chol") >= 0 || table.Rows() < 740 {
		t.Errorf("%d rows, features %v, notes %q", table.Rows(), table.Features, table.Notes)
	}
}

func TestMNISTLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("loads 70000 images")
	}
	o := options(t, "mnist", "data/mnist")
	table := load1(t, o)
	if table.Rows() != 70000 || table.OwnTest != 10000 || len(table.Features) != 784 || len(table.Classes) != 10 {
		t.Fatalf("%d rows, %d of them test, %d features, classes %v", table.Rows(), table.OwnTest, len(table.Features), table.Classes)
	}
	if !slices.Equal(table.Y[:5], []float64{5, 0, 4, 1, 9}) {
		t.Errorf("labels start with %v", table.Y[:5])
	}
	if lo, hi := slices.Min(table.X[:784*1000]), slices.Max(table.X[:784*1000]); lo != 0 || hi != 1 {
		t.Errorf("pixels lie in [%v, %v]", lo, hi)
	}
	for _, f := range Describe(table).Files {
		if f.State != Matches {
			t.Errorf("%s: checksum %s", f.Path, f.State)
		}
	}
}

func TestDigitTargets(t *testing.T) {
	for target, want := range map[string][3]float64{"digit": {7, 4, 3}, "even": {-1, 1, -1}, "7": {1, -1, -1}} {
		label, _, err := digitLabel(target)
		if err != nil || [3]float64{label(7), label(4), label(3)} != want {
			t.Errorf("target %s: labels of 7, 4, 3 are %v %v %v (%v)", target, label(7), label(4), label(3), err)
		}
	}
	if _, _, err := digitLabel("10"); err == nil {
		t.Error("10 is taken for a digit")
	}
}

func TestLoadErrorsHaveHints(t *testing.T) {
	for _, c := range []struct {
		source string
		change func(*Options)
	}{
		{"houses", func(*Options) {}},
		{"houses", func(o *Options) { o.Path = "nowhere.csv" }},
		{"houses", func(o *Options) { o.Task = "clustering" }},
		{"heart", func(o *Options) { o.Path = "nowhere/at/all" }},
		{"heart", func(o *Options) { o.Path = "doc.go" }},
		{"heart", func(o *Options) { o.Target = "age" }},
		{"mnist", func(o *Options) { o.Path = "doc.go" }},
		{"mnist", func(o *Options) { o.Path = "." }},
		{"mnist", func(o *Options) { o.Target = "10" }},
		{"adult", func(o *Options) { o.Path = "." }},
		{"adult", func(o *Options) { o.Drop = []string{"x"} }},
		{"adult", func(o *Options) { o.Task = Regression }},
		{"csv", func(o *Options) { o.Path = "." }},
		{"libsvm", func(o *Options) { o.Path = "doc.go" }},
		{"mean", func(*Options) {}},
		{"mean", func(o *Options) { o.Source = "censes" }},
	} {
		o := options(t, c.source, "")
		c.change(&o)
		_, err := Load(o)
		if err == nil || fault.Hint(err) == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("Load(%+v): error %v, hint %q", o, err, fault.Hint(err))
		}
	}
}

func BenchmarkLoadHouses(b *testing.B) {
	benchmarkLoad(b, options(b, "houses", "data/houses/houses.csv"))
}
func BenchmarkLoadAdult(b *testing.B) { benchmarkLoad(b, options(b, "adult", "data/adult/a9a")) }
func BenchmarkLoadMNIST(b *testing.B) { benchmarkLoad(b, options(b, "mnist", "data/mnist")) }

func benchmarkLoad(b *testing.B, o Options) {
	for b.Loop() {
		if _, err := Load(o); err != nil {
			b.Fatal(err)
		}
	}
}

// writeFiles makes a folder of files.
func writeFiles(t *testing.T, files map[string][]byte) string {
	t.Helper()
	folder := t.TempDir()
	for name, contents := range files {
		if err := os.WriteFile(filepath.Join(folder, name), contents, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// tinyDigits is a folder like MNIST's with two training images and a test one.
func tinyDigits(t *testing.T, changed map[string][]byte) string {
	files := map[string][]byte{
		"train-images-idx3-ubyte": {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 255, 0},
		"train-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 2, 7, 3},
		"t10k-images-idx3-ubyte":  {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 255, 255},
		"t10k-labels-idx1-ubyte":  {0, 0, 8, 1, 0, 0, 0, 1, 9},
	}
	maps.Copy(files, changed)
	return writeFiles(t, files)
}

func TestTinyDigits(t *testing.T) {
	o := options(t, "mnist", "")
	o.Path = tinyDigits(t, nil)
	table := load1(t, o)
	if !slices.Equal(table.X, []float64{0, 0.2, 1, 0, 1, 1}) || !slices.Equal(table.Y, []float64{7, 3, 9}) || table.OwnTest != 1 {
		t.Errorf("X %v, Y %v, own test %d", table.X, table.Y, table.OwnTest)
	}
	if notes := strings.Join(table.Notes, " "); strings.Count(notes, "is not the published file") != 4 {
		t.Errorf("foreign bytes are not noted: %q", notes)
	}
	o.Nodes = 2
	f := federate(t, table, o, 1)
	if f.Test.Rows() != 1 || f.Test.Y[0] != 9 || len(f.Shards.Y) != 2 {
		t.Errorf("the own test part became %v", f.Test)
	}
}

func TestDigitsThatDoNotFit(t *testing.T) {
	for want, changed := range map[string]map[string][]byte{
		"2 train images but 1 labels":       {"train-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 1, 7}},
		"train label 1 is 10":               {"train-labels-idx1-ubyte": {0, 0, 8, 1, 0, 0, 0, 2, 7, 10}},
		"has 2 dimensions instead of 1":     {"t10k-labels-idx1-ubyte": {0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 1, 9}},
		"have 2 pixels, test images 1":      {"t10k-images-idx3-ubyte": {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 255}},
		"train-images-idx3-ubyte ends":      {"train-images-idx3-ubyte": {0, 0, 8, 3, 0, 0}},
		"t10k-images-idx3-ubyte is damaged": {"t10k-images-idx3-ubyte": cut(zipped(t, "\x00\x00\x08\x01\x00\x00\x01\x00"+strings.Repeat("a", 256)))},
	} {
		o := options(t, "mnist", "")
		o.Path = tinyDigits(t, changed)
		_, err := Load(o)
		expectFault(t, err, want)
	}
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// cut removes the end of b, for gzip inside its checksum.
func cut(b []byte) []byte { return b[:len(b)-6] }

func TestCompressedAndDamagedFiles(t *testing.T) {
	table := "a,y\n1,2\n3,4\n"
	folder := writeFiles(t, map[string][]byte{
		"whole.csv.gz": zipped(t, table), "cut.csv.gz": cut(zipped(t, table)), "header.csv.gz": {0x1f, 0x8b, 0},
	})
	o := options(t, "csv", "")
	o.Target, o.Task, o.Path = "y", Regression, filepath.Join(folder, "whole.csv.gz")
	if whole := load1(t, o); !slices.Equal(whole.X, []float64{1, 3}) || whole.Files[0].Bytes != int64(len(zipped(t, table))) {
		t.Errorf("X %v, files %v", whole.X, whole.Files)
	}
	for _, name := range []string{"cut.csv.gz", "header.csv.gz"} {
		o.Path = filepath.Join(folder, name)
		_, err := Load(o)
		expectFault(t, err, name)
	}
}
