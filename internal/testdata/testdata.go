// Package testdata finds the reference files that some tests compare with. Golden files of our own are in its folder golden,
// with the program that made them. Others, and public data, are outside the repository. Where they are absent a test skips with
// a message.
package testdata

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Shared returns the path of a reference file (slash-separated, relative to
// the reference folder), or skips the test. The folder is found beside the
// checkout, or where HEARSAY_SHARED says.
func Shared(tb testing.TB, name string) string {
	tb.Helper()
	path, ok := Find(tb, name)
	if !ok {
		tb.Skipf("SKIPPED: reference file %s is not here (set HEARSAY_SHARED to the folder that holds it)", name)
	}
	return path
}

// Find does the same as Shared, but reports false instead of skipping the test.
func Find(tb testing.TB, name string) (path string, ok bool) {
	tb.Helper()
	path = filepath.Join(sharedRoot(tb), filepath.FromSlash(name))
	return path, exists(path)
}

// Goldens reads a JSON reference file, golden/NAME.json: our own, which every
// clone has, and after it the one of the same form in the reference folder, if
// that is here.
func Goldens[T any](tb testing.TB, name string) []T {
	tb.Helper()
	own := filepath.Join(moduleRoot(tb), "internal", "testdata", "golden", name+".json")
	files := []T{decode[T](tb, own)}
	if outside := filepath.Join(sharedRoot(tb), "golden", name+".json"); exists(outside) {
		files = append(files, decode[T](tb, outside))
	}
	return files
}

func decode[T any](tb testing.TB, path string) (value T) {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, &value); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	if text := fmt.Sprintf("%v", value); text == "map[]" || text == "[]" {
		tb.Fatalf("%s: no cases", path)
	}
	return value
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// An Attack is averaging in T rounds on a graph of N nodes, with the exact knowledge of attackers who pool their messages. It
// holds its rank, and the nodes whose values they know, themselves included.
type Attack struct {
	N, T, Rank               int
	Edges                    [][2]int
	Attackers, Reconstructed []int
}

// Attacks returns the cases of golden/attack.json, and those of the reference folder if they are there.
func Attacks(tb testing.TB) map[string][]Attack {
	tb.Helper()
	cases := Goldens[map[string][]Attack](tb, "attack")[0]
	if outside := filepath.Join(sharedRoot(tb), "golden", "attack", "exact.json.gz"); exists(outside) {
		file, err := os.Open(outside)
		if err != nil {
			tb.Fatal(err)
		}
		defer file.Close()
		reader, err := gzip.NewReader(file)
		if err != nil {
			tb.Fatal(err)
		}
		if err := json.NewDecoder(reader).Decode(&cases); err != nil { // beside the others
			tb.Fatal(err)
		}
	}
	return cases
}

// LogOfDecimal returns ln of a decimal number of any exponent, also beyond the range of a float64.
func LogOfDecimal(tb testing.TB, text string) float64 {
	tb.Helper()
	f, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
	if err != nil {
		tb.Fatal(err)
	}
	mantissa := new(big.Float)
	exponent := f.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}

func sharedRoot(tb testing.TB) string {
	if root := os.Getenv("HEARSAY_SHARED"); root != "" {
		return root
	}
	return filepath.Join(moduleRoot(tb), "..", "shared")
}

// moduleRoot walks up from the working directory to the folder of go.mod.
func moduleRoot(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		tb.Fatalf("no go.mod above the working directory")
	}
}
