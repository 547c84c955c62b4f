package graphfile

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

// A dense is a dense square matrix. A nonzero entry in row i and column j is an edge from i to j.
type dense struct {
	names  []string
	framed bool // the same names stand above and beside the numbers
	values [][]float64
}

// leastDense is the least number of rows of a matrix. It tells a matrix from a list of edges: two lines of two
// numbers are two edges.
const leastDense = 3

// mostDense is the largest number of rows of a dense matrix.
const mostDense = 20000

// readDense reads a matrix such as numpy.savetxt or pandas writes, with or without names of rows and columns. It
// returns nil if the lines are no matrix.
func readDense(lines []line, name string) (*builder, error) {
	rows := ofIDs(lines)
	if len(rows) < leastDense || len(rows) > mostDense+1 {
		return nil, nil
	}
	m := denseOf(rows)
	if m == nil || len(m.values) < leastDense {
		return nil, nil
	}
	n := len(m.values)
	empty, symmetric, above, below := true, true, false, false
	for i, row := range m.values {
		empty = empty && row[i] == 0
		for j := range i {
			symmetric = symmetric && row[j] == m.values[j][i]
			below, above = below || row[j] != 0, above || m.values[j][i] != 0
		}
	}
	switch {
	case !m.framed && n <= 4 && !(empty && symmetric): // so many numbers may be an edge, its weight and a time
		if !empty || m.names != nil {
			return nil, nil
		}
		return nil, fault.New(fmt.Sprintf("%s: %d lines of %d numbers may be a matrix, or edges with weights", name, n, n),
			"write a line for every edge and name the columns before: source target weight")
	case !symmetric && above != below:
		return nil, fault.New(fmt.Sprintf("%s is a matrix with all its entries on one side of the diagonal: nothing says whether edges have a direction", name),
			"write both sides, or a line for every edge")
	}
	return m.builder(name, symmetric), nil
}

func (m *dense) builder(name string, symmetric bool) *builder {
	b := newBuilder(name)
	b.Directed = !symmetric
	for i := range m.values {
		if m.names == nil {
			b.Nodes = append(b.Nodes, strconv.Itoa(i))
		} else {
			b.Nodes = append(b.Nodes, m.names[i])
		}
	}
	for i, row := range m.values {
		for j, value := range row {
			if value != 0 && (!symmetric || j <= i) {
				b.edge(int32(i), int32(j), value)
			}
		}
	}
	return b
}

// denseOf reads lines as a square matrix: n lines of n numbers, with or without a line or a column of names, or both.
func denseOf(rows []line) *dense {
	separator := byte(' ')
	for _, s := range []byte("\t;,") {
		if bytes.IndexByte(rows[len(rows)-1].text, s) >= 0 {
			separator = s
			break
		}
	}
	var cells [][][]byte
	for _, l := range rows {
		fields, err := graph.Fields(nil, l.text, separator)
		if err != nil || len(fields) > len(rows)+1 || len(fields)+1 < len(rows)-1 {
			return nil
		}
		cells = append(cells, fields)
	}
	k := len(rows)
	switch width := len(cells[k-1]); {
	case width == k && len(cells[0]) == k: // numbers only, or names around
		if m := numbersOf(cells, 0, nil); m != nil {
			return m
		}
		return numbersOf(cells[1:], 1, cells[0][1:])
	case width == k-1 && len(cells[0]) == width:
		return numbersOf(cells[1:], 0, cells[0])
	case width == k && len(cells[0]) == k-1: // names of rows, none above them
		return numbersOf(cells[1:], 1, cells[0])
	case width == k+1:
		return numbersOf(cells, 1, nil)
	}
	return nil
}

// numbersOf reads rows of numbers from a column on. above holds the names above the numbers, nil if there are none.
// Names beside the numbers must be the same.
func numbersOf(cells [][][]byte, from int, above [][]byte) *dense {
	m := &dense{}
	for i, fields := range cells {
		if len(fields) != len(cells)+from {
			return nil
		}
		if from == 1 {
			switch beside := string(fields[0]); {
			case above != nil && beside != string(above[i]):
				return nil
			case above == nil && isNumber(beside):
				return nil
			default:
				m.names = append(m.names, beside)
			}
		}
		row := make([]float64, len(cells))
		for j, f := range fields[from:] {
			x, err := strconv.ParseFloat(string(f), 64)
			if err != nil || x != x {
				return nil
			}
			row[j] = x
		}
		m.values = append(m.values, row)
	}
	if from == 0 && above != nil {
		for _, name := range above {
			if isNumber(string(name)) {
				return nil
			}
			m.names = append(m.names, string(name))
		}
		if _, _, surely := ends(plainNames(m.names)); surely {
			return nil
		}
	}
	m.framed = from == 1 && above != nil
	return m
}
