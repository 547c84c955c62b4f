package graphfile

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
)

// sized looks for a first line with the number of nodes and edges, "5 5", or the rows, columns and entries of a
// matrix, "5 5 4". The line counts as such if that many lines follow and their ids are 1 to n, 0 to n-1, or n
// different ones.
func (t *table) sized() error {
	if t.header != nil || len(t.rows) < 2 {
		return nil
	}
	size, ok := integersOf(t.cut(t.rows[0]))
	rest := t.rows[1:]
	if !ok || len(size) < 2 || len(size) > 3 || size[len(size)-1] != len(rest) || size[0] < 1 || size[0] > mostNodes || len(size) == 3 && size[0] != size[1] {
		return nil
	}
	ids, least, most, err := t.idsOf(rest)
	if err != nil {
		return nil // edges reports this line as an error of its own
	}
	n, offset := size[0], 0
	switch {
	case most <= n && least >= 1 && most > 0:
		offset = 1
	case most < n && least >= 0 && len(size) == 2:
	case ids != n:
		return nil
	}
	second, _ := integersOf(t.cut(rest[0]))
	if len(size) == 2 && n != size[1] && len(second) == 2 && second[0] == size[1] && most >= 0 {
		return t.wrong(t.rows[0], fault.New(fmt.Sprintf("%q may be an edge, or say that %d nodes and %d edges follow", clip(t.rows[0].text), n, size[1]),
			"put a line before it that names the columns: source target; and if it says how many follow, remove it"))
	}
	if n > alonePerLine*(len(rest)+1000) {
		return nil
	}
	if most >= 0 && ids < n {
		for u := range n {
			if _, err := t.called("", strconv.AppendInt(nil, int64(u+offset), 10)); err != nil {
				return err
			}
		}
	}
	t.Dropped.Header = string(t.rows[0].text)
	t.rows, t.said.nodes, t.said.edges = rest, n, size[len(size)-1]
	return nil
}

// idsOf counts the different ids of lines and returns their range as numbers. most is -1 if an id is no number.
func (t *table) idsOf(rows []line) (ids, least, most int, err error) {
	seen := map[string]bool{}
	least, most = -1, 0
	for _, l := range rows {
		fields, err := t.cut(l)
		if err != nil || len(fields) < 2 {
			return 0, 0, 0, fmt.Errorf("no edge: %w", err)
		}
		for _, f := range fields[:2] {
			seen[string(f)] = true
			switch x, err := strconv.Atoi(string(f)); {
			case err != nil || most < 0:
				most = -1
			default:
				if most = max(most, x); least < 0 || x < least {
					least = x
				}
			}
		}
	}
	return len(seen), least, most, nil
}

// integersOf returns the fields as integers. It returns false unless all are.
func integersOf(fields [][]byte, err error) ([]int, bool) {
	if err != nil {
		return nil, false
	}
	return integers(bytes.Join(fields, []byte(" ")), len(fields))
}
