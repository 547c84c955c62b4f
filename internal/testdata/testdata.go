// Package testdata finds the reference files that some tests compare with.
// They live outside the repository; where they are absent the test skips and
// says so.
package testdata

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of a reference file (slash-separated, relative to
// the reference folder), or skips the test. The folder is found beside the
// checkout, or where HEARSAY_SHARED says.
func Shared(tb testing.TB, name string) string {
	tb.Helper()
	root := os.Getenv("HEARSAY_SHARED")
	if root == "" {
		root = filepath.Join(moduleRoot(tb), "..", "shared")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("SKIPPED: reference file %s is not here (set HEARSAY_SHARED to the folder that holds it)", name)
	}
	return path
}

// Golden reads the JSON reference file golden/name into a value, or skips the
// test as Shared does.
func Golden(tb testing.TB, name string, into any) {
	tb.Helper()
	text, err := os.ReadFile(Shared(tb, "golden/"+name))
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
}

// LogOfDecimal is ln of a decimal number of any exponent, beyond those of a
// float64 too.
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
