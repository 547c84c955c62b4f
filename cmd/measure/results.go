package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// resultsFile is the file of results, in the format of Go's benchmarks, which benchstat reads.
const resultsFile = "bench/measured.txt"

// A Result holds the results of a sitting: the place, the time and the code of the measurement, and its benchmark lines in order.
type Result struct {
	Config map[string]string
	Lines  []Line
}

// A Line is one measurement of a benchmark: its name without the word Benchmark, and its values by unit.
type Line struct {
	Name   string
	Text   string // as it was printed
	Values map[string]float64
}

// results holds the results of all sittings, by name.
type results map[string]*Result

// keys lists the configuration keys of a result, in the order of the file.
var keys = []string{"sitting", "date", "commit", "code", "cpu", "processors", "go", "times", "took", "stopped", "numpy", "blas"}

// parseLine parses a benchmark line. It returns false if the line is none.
func parseLine(text string) (Line, bool) {
	fields := strings.Fields(text)
	if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
		return Line{}, false
	}
	if _, err := strconv.Atoi(fields[1]); err != nil {
		return Line{}, false
	}
	l := Line{Name: strings.TrimPrefix(fields[0], "Benchmark"), Text: strings.Join(fields, " "), Values: map[string]float64{}}
	for k := 2; k < len(fields); k += 2 {
		v, err := strconv.ParseFloat(fields[k], 64)
		if err != nil {
			return Line{}, false
		}
		l.Values[fields[k+1]] = v
	}
	return l, true
}

// readResults reads the results of the repository at top. It returns an empty map if there is no file.
func readResults(top string) (results, error) {
	text, err := os.ReadFile(filepath.Join(top, resultsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all, now := results{}, &Result{Config: map[string]string{}}
	for k, line := range strings.Split(string(text), "\n") {
		key, value, isKey := strings.Cut(line, ": ")
		l, isLine := parseLine(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isLine:
			now.Lines = append(now.Lines, l)
		case isKey && slices.Contains(keys, key):
			if key == "sitting" {
				now = &Result{Config: map[string]string{}}
				all[value] = now
			}
			now.Config[key] = value
		default:
			return nil, fault.New(fmt.Sprintf("%s:%d: %q is neither a benchmark nor a key", resultsFile, k+1, line), "the file is written by go run ./cmd/measure; take it from git again")
		}
	}
	return all, nil
}

// write keeps all results in the repository at top.
func (r results) write(top string) error {
	return regular.Write(filepath.Join(top, resultsFile), 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, r.text())
		return err
	})
}

func (r results) text() string {
	var b strings.Builder
	b.WriteString("# What go run ./cmd/measure measured; benchstat reads it.\n")
	for _, name := range slices.Sorted(maps.Keys(r)) {
		b.WriteByte('\n')
		for _, key := range keys {
			if value := r[name].Config[key]; value != "" {
				fmt.Fprintf(&b, "%s: %s\n", key, value)
			}
		}
		for _, l := range r[name].Lines {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// values returns all measurements of "benchmark unit", in order.
func (r *Result) values(what string) []float64 {
	name, unit := split(what)
	var found []float64
	for _, l := range r.Lines {
		if v, ok := l.Values[unit]; ok && l.Name == name {
			found = append(found, v)
		}
	}
	return found
}

// split splits "benchmark unit" at its last space.
func split(what string) (name, unit string) {
	k := strings.LastIndex(what, " ")
	return what[:k], what[k+1:]
}
