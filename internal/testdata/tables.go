package testdata

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Both runs a test on a file or folder of our own, which every clone has, and on the one in the reference folder. Only the
// latter is skipped where that folder is absent.
func Both(t *testing.T, own, outside string, test func(t *testing.T, path string)) {
	t.Run("own", func(t *testing.T) { test(t, own) })
	t.Run("outside", func(t *testing.T) { test(t, Shared(t, outside)) })
}

// Houses writes houses/houses.csv into a new folder and returns its path. The table is made up, with the columns and ranges of
// the California one. Longitude follows latitude down a coast, and the rest comes from even sequences.
func Houses(tb testing.TB, rows int) string {
	tb.Helper()
	var b strings.Builder
	b.WriteString("median_house_value,median_income,housing_median_age,total_rooms,total_bedrooms,population,households,latitude,longitude\n")
	for i := range rows {
		along, income, homes := even(i, 2), even(i, 3), math.Floor(100+1900*even(i, 5))
		latitude, longitude := 32.5+9.5*along, -114.5-9.5*along+1.2*(even(i, 7)-0.5)
		value := 50000 + 350000*income*income + math.Floor(80000*even(i, 11))
		fmt.Fprintf(&b, "%.0f,%.4f,%.0f,%.0f,%.0f,%.0f,%.0f,%.2f,%.2f\n", value, 0.5+12*income*income, 1+math.Floor(51*even(i, 13)),
			math.Floor(homes*(4+3*income)), math.Floor(homes*1.1), math.Floor(homes*(2+2*even(i, 17))), homes, latitude, longitude)
	}
	return write(tb, "houses/houses.csv", b.String())
}

// Canonical writes the canonical experiment as spec/houses.yaml, with a made-up table of
// these rows as data/houses/houses.csv beside its folder, and returns its path.
func Canonical(tb testing.TB, rows int) string {
	tb.Helper()
	data := filepath.Dir(filepath.Dir(Houses(tb, rows)))
	path := write(tb, "spec/houses.yaml", `name: houses, made up
trials: 8
data: {source: houses, path: ../data/houses/houses.csv, target: longitude, test: 0.2}
nodes: 2048
graph: hypercube:11
algorithm: {kind: walk, steps: 20000, step_size: 0.003, clip: 0.3, average: half, contributions: 12}
privacy: {calibrate: {mean: 1}, accountant: published, metric: {epsilon_at_delta: 1.0e-6}, sender: hidden}
report: {every: 100}
`)
	if err := os.Rename(data, filepath.Join(filepath.Dir(filepath.Dir(path)), "data")); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Heart writes four made-up files with the columns of the heart disease study into
// a new folder and returns its path. Every sixth row of a hospital misses its blood
// pressure, and one hospital measures no cholesterol.
func Heart(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	for g, hospital := range []string{"cleveland", "hungarian", "switzerland", "va"} {
		var b strings.Builder
		for i := range 30 + 6*g {
			pressure, cholesterol := fmt.Sprint(110+math.Floor(60*even(i, 3))), 180+math.Floor(120*even(i, 5))
			if i%6 == 5 {
				pressure = "?"
			}
			if hospital == "switzerland" {
				cholesterol = 0
			}
			age := 35 + math.Floor(40*even(i, 2))
			fmt.Fprintf(&b, "%g,%d,%d,%s,%g,0,0,%g,%d,%.1f,?,?,?,%d\n",
				age, i%2, 1+i%4, pressure, cholesterol, 200-age, i%3/2, 3*even(i, 7), i%5*(i%2))
		}
		if err := os.WriteFile(filepath.Join(dir, "processed."+hospital+".data"), []byte(b.String()), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// even returns number i of a sequence that fills [0, 1) evenly: fractional parts of multiples of a root.
func even(i, square int) float64 {
	x := float64(i+1) * math.Sqrt(float64(square))
	return x - math.Floor(x)
}

func write(tb testing.TB, name, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}
