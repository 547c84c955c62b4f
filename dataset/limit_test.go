package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// packed is a text in gzip.
func packed(text string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

// A file of some bytes becomes no table of gigabytes, whatever makes it grow.
func TestSmallFilesBecomeNoLargeTables(t *testing.T) {
	many := make([]string, 2000)
	for i := range many {
		many[i] = fmt.Sprint("c", i)
	}
	zeros := strings.Repeat("0", 1<<20)
	wide := map[string][]string{"a": many}
	for name, c := range map[string]struct {
		text, what string
		options    Options
	}{
		"packed.csv":      {packed("a,y\n" + strings.Repeat("1."+zeros+",1\n", 48)), "unpacks to more than 64 times", Options{Source: "csv", Target: "y", Task: Classification}},
		"line.csv":        {packed("a,y\n" + strings.Repeat("1", 40<<20)), "line is longer", Options{Source: "csv", Target: "y", Task: Classification}},
		"packed.libsvm":   {packed(strings.Repeat("1 1:1 # "+zeros+"\n", 48)), "unpacks to more than 64 times", Options{Source: "libsvm", Task: Classification}},
		"index.libsvm":    {strings.Repeat("1 1048576:1\n0 1:1\n", 250), "500 rows x 1048576 features", Options{Source: "libsvm", Task: Classification}},
		"given.libsvm":    {"1 1:1\n0 1:1\n", "2 rows x 200000000 features", Options{Source: "libsvm", Task: Classification, Features: 200_000_000}},
		"largest.libsvm":  {"1 2000000000:1\n", "above the dimension", Options{Source: "libsvm", Task: Classification}},
		"categories.csv":  {"a,y\n" + strings.Repeat("c1,0\nc2,1\n", 10_000), "rows x 2000 features are too many", Options{Source: "csv", Target: "y", Task: Classification, Categories: wide}},
		"columns.csv":     {strings.Repeat("a,", 2<<20) + "y\n", "2097153 columns", Options{Source: "csv", Target: "y", Task: Classification}},
		"packed_text.csv": {packed(strings.Repeat("\"", 40<<20)), "", Options{Source: "csv", Target: "y", Task: Classification}},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.options.Path, c.options.Test, c.options.Scale, c.options.Normalise = path, 0.2, "none", "none"
		table, err := Load(c.options)
		if err == nil || !strings.Contains(err.Error(), c.what) || fault.Hint(err) == "" {
			t.Errorf("%s of %d bytes: %v, %v, want %q and a hint", name, len(c.text), err, table != nil, c.what)
		}
	}
}

// A table with many columns of text is refused in a time in proportion to it.
func TestTroubleWithManyColumns(t *testing.T) {
	var names, values []string
	for i := range 100_000 {
		names, values = append(names, fmt.Sprint("c", i)), append(values, fmt.Sprint("v", i))
	}
	row := strings.Join(values, ",")
	_, err := ReadCSV(strings.NewReader(strings.Join(names, ",")+",y\n"+row+",0\n"+row+",1\n"), "x.csv", CSV{Target: "y", Task: Classification})
	if err == nil || len(err.Error())+len(fault.Hint(err)) > 10_000 {
		t.Errorf("%.1000v (%.1000s)", err, fault.Hint(err))
	}
}
