package graphfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
)

// weightsOfMarket reads Matrix Market: coordinate or array, real or integer, general or symmetric.
func weightsOfMarket(text []byte, n int) ([]graph.Entry, error) {
	lines := numberedLines(text)
	if lines == nil {
		return nil, fmt.Errorf("there are more than %d lines", mostLines)
	}
	words := strings.Fields(strings.ToLower(string(clipTo(lines[0].text, 100))))
	if len(words) != 5 || words[1] != "matrix" || words[2] != "coordinate" && words[2] != "array" ||
		words[3] != "real" && words[3] != "integer" || words[4] != "general" && words[4] != "symmetric" {
		return nil, fmt.Errorf("line 1: %q is not coordinate or array, real or integer, general or symmetric", clip(lines[0].text))
	}
	var rest []line
	for _, l := range lines[1:] {
		if !l.silent() {
			rest = append(rest, l)
		}
	}
	if len(rest) == 0 {
		return nil, fmt.Errorf("there is no line of sizes")
	}
	if words[2] == "array" {
		return marketArray(rest, words[4] == "symmetric", n)
	}
	return marketEntries(rest, words[4] == "symmetric", n)
}

func clipTo(text []byte, most int) []byte { return text[:min(len(text), most)] }

// marketEntries reads "row column value" of each entry.
func marketEntries(lines []line, symmetric bool, n int) (entries []graph.Entry, err error) {
	size, ok := integers(lines[0].text, 3)
	if !ok {
		return nil, fmt.Errorf("line %d: %q are no numbers of rows, columns and entries", lines[0].number, clip(lines[0].text))
	}
	if err := checkOrder(size[0], size[1], n); err != nil {
		return nil, err
	}
	if size[2] != len(lines)-1 {
		return nil, fmt.Errorf("line %d promises %d entries, and %d follow", lines[0].number, size[2], len(lines)-1)
	}
	for _, l := range lines[1:] {
		i, j, value, err := entry(l.text, "real")
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
		if i < 1 || j < 1 || i > n || j > n {
			return nil, fmt.Errorf("line %d: entry (%d, %d) of a matrix of %d rows", l.number, i, j, n)
		}
		if entries = append(entries, graph.Entry{From: i - 1, To: j - 1, Value: value}); symmetric && i != j {
			entries = append(entries, graph.Entry{From: j - 1, To: i - 1, Value: value})
		}
	}
	return entries, nil
}

// marketArray reads the numbers column by column, one a line. For a symmetric matrix each column starts
// at the diagonal.
func marketArray(lines []line, symmetric bool, n int) ([]graph.Entry, error) {
	size, ok := integers(lines[0].text, 2)
	if !ok {
		return nil, fmt.Errorf("line %d: %q are no numbers of rows and columns", lines[0].number, clip(lines[0].text))
	}
	if err := checkOrder(size[0], size[1], n); err != nil {
		return nil, err
	}
	want := n * n
	if symmetric {
		want = n * (n + 1) / 2
	}
	if n > mostWeights || len(lines)-1 != want {
		return nil, fmt.Errorf("%d numbers follow the sizes, not %d, of at most %d rows", len(lines)-1, want, mostWeights)
	}
	values, next := make([]float64, n*n), 1
	for j := range n {
		first := 0
		if symmetric {
			first = j
		}
		for i := first; i < n; i, next = i+1, next+1 {
			x, err := strconv.ParseFloat(string(bytes.TrimSpace(lines[next].text)), 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q is no number", lines[next].number, clip(lines[next].text))
			}
			if values[i*n+j] = x; symmetric {
				values[j*n+i] = x
			}
		}
	}
	return fullEntries(n, numbered(n), func(i, j int) float64 { return values[i*n+j] }), nil
}

// numbered returns 0..n-1.
func numbered(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
