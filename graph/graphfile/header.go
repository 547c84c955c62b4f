package graphfile

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// head decides whether the first line names the columns, and which columns hold the ends.
func (t *table) head() error {
	fields, err := t.cut(t.rows[0])
	if err != nil {
		return err
	}
	first := make([]string, len(fields))
	for i, f := range fields {
		first[i] = string(f)
	}
	if len(first) < 2 || isNumber(first[0]) && isNumber(first[1]) || strings.HasPrefix(first[1], "{") {
		return nil
	}
	names := plainNames(first)
	from, to, surely := ends(names)
	is, err := t.isHeader(first, names, from >= 0, surely)
	if err != nil || !is {
		return err
	}
	if from < 0 {
		if from, to, err = t.others(first, names); err != nil {
			return err
		}
	}
	t.Dropped.Header = string(t.rows[0].text)
	for _, f := range first {
		t.header = append(t.header, []byte(f))
	}
	t.rows, t.from, t.to = t.rows[1:], from, to
	for i, name := range names {
		if i == from || i == to {
			continue
		}
		switch {
		case slices.Contains(weightNames, name) && t.weight < 0 && t.numbers(i):
			t.weight = i
		case slices.Contains(directionNames, name) && t.speaks(i):
			t.direction = i
		}
	}
	return nil
}

func plainNames(all []string) []string {
	plain := make([]string, len(all))
	for i, name := range all {
		plain[i] = plainName(name)
	}
	return plain
}

// plainName reduces a column name to a common spelling: "Node_A", ":START_ID", "from node".
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "", ":", "", "(", "", ")", "").Replace(name))
}

var (
	// endNames are usual names of the two columns with the ends of edges.
	endNames = [][2]string{
		{"source", "target"}, {"src", "dst"}, {"src", "dest"}, {"source", "destination"}, {"from", "to"}, {"u", "v"}, {"i", "j"}, {"head", "tail"},
		{"tail", "head"}, {"start", "end"}, {"left", "right"}, {"row", "col"}, {"row", "column"}, {"sender", "receiver"}, {"parent", "child"},
		{"citing", "cited"}, {"follower", "followee"}, {"ego", "alter"}, {"origin", "destination"}, {"in", "out"},
	}
	// endings tell apart two columns whose names are otherwise equal: node_a and node_b, id1 and id2.
	endings        = [][2]string{{"a", "b"}, {"1", "2"}, {"0", "1"}, {"x", "y"}, {"u", "v"}, {"i", "j"}}
	weightNames    = []string{"weight", "weights", "w", "value", "strength", "count"}
	directionNames = []string{"type", "directed", "direction"}
	// ofNodes are column names that tables of nodes have, and that lists of edges do not use for their ends.
	ofNodes = []string{"id", "label", "name", "node", "nodeid", "nodes", "vertex", "title", "lat", "lon", "lng", "latitude", "longitude", "x", "y", "type", "weight",
		"degree", "group", "class", "club", "community", "modularityclass", "size", "color", "colour", "age", "index", "key"}
	// aside are names of columns that never hold ends.
	aside = []string{"id", "edgeid", "index", "", "weight", "weights", "w", "value", "type", "label", "name", "time", "date", "timestamp", "year", "since", "kind", "relation", "distance", "count", "strength"}
)

// ends returns the columns with the ends of edges, by their names. They are -1 if no names fit. surely is false
// for names of one letter and for names that differ in an ending only, because other columns may have such names.
func ends(names []string) (from, to int, surely bool) {
	find := func(a, b string) bool {
		from, to = slices.Index(names, a), slices.Index(names, b)
		return from >= 0 && to >= 0
	}
	for _, pair := range endNames {
		if find(pair[0], pair[1]) {
			return from, to, len(pair[0]) > 1
		}
	}
	for i, name := range names {
		for _, pair := range endNames[:8] {
			if len(pair[0]) > 1 && strings.Contains(name, pair[0]) {
				if to := slices.Index(names, strings.Replace(name, pair[0], pair[1], 1)); to >= 0 && to != i {
					return i, to, true
				}
			}
		}
	}
	for i, name := range names {
		for _, pair := range endings {
			if stem, ok := strings.CutSuffix(name, pair[0]); ok {
				if to := slices.Index(names, stem+pair[1]); to >= 0 {
					return i, to, false
				}
			}
		}
	}
	return -1, -1, false
}

// isHeader decides whether the first line names columns. It returns an error that asks the user if the file does
// not tell.
func (t *table) isHeader(first, names []string, called, surely bool) (bool, error) {
	alone, integers, stem := true, true, false
	thirdHere, thirdThere := len(first) > 2 && isNumber(first[2]), true
	like := true // ids that could be names of columns, too
	for _, l := range t.rows[1:] {
		fields, err := t.cut(l)
		if err != nil {
			return false, err
		}
		for i, f := range fields {
			id := string(f)
			if i < 2 || called {
				alone = alone && id != first[0] && id != first[1] || called && i > 1 && !slices.Contains(first[:2], id)
			}
			if i < 2 {
				integers = integers && isNumber(id)
				like = like && columnName.MatchString(id)
				stem = stem || len(names[i%len(names)]) > 1 && strings.HasPrefix(plainName(id), names[i][:len(names[i])-1])
			}
		}
		thirdThere = thirdThere && len(fields) > 2 && isNumber(string(fields[2]))
	}
	spaced := t.separator == ' '
	ofNodesOnly := !called && (slices.Contains(ofNodes, names[0]) || slices.Contains(ofNodes, names[1]))
	switch {
	case len(t.rows) == 1:
		return surely, nil
	case !alone:
		return false, nil
	case surely:
		return true, nil
	case thirdHere && thirdThere: // names and a number, as all others
		return false, nil
	case integers && !isNumber(first[0]) && !isNumber(first[1]):
		return true, nil
	case isNumber(first[0]) || isNumber(first[1]):
		return false, nil
	case called && !stem && len(names[0]) > 1:
		return true, nil
	case len(first) > 2 && thirdThere && !thirdHere:
		return true, nil
	case spaced && (!called || len(names[0]) == 1):
		return false, nil
	case ofNodesOnly:
		return true, nil
	case columnName.MatchString(first[0]) && columnName.MatchString(first[1]) && !like && !called:
		return true, nil
	}
	return false, t.wrong(t.rows[0], fault.New(fmt.Sprintf("%q may name the columns, or be an edge", clip(t.rows[0].text)),
		"if it is an edge, put a line before it that names the columns: "+suggest(len(first), t.separator)+"; if it is none, write that line in its place"))
}

// columnName matches usual column names: lower-case letters, digits and underscores.
var columnName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// others returns the columns of the ends if their names do not tell: the only two columns without another meaning.
func (t *table) others(first, names []string) (from, to int, err error) {
	var left []int
	for i, name := range names {
		if !slices.Contains(aside, name) {
			left = append(left, i)
		}
	}
	if len(left) == 2 && !slices.Contains(ofNodes, names[left[0]]) && !slices.Contains(ofNodes, names[left[1]]) {
		return left[0], left[1], nil
	}
	return 0, 0, t.wrong(t.rows[0], fault.New(fmt.Sprintf("none of the columns %s is said to hold the ends of edges", strings.Join(first, ", ")),
		"call the two columns with the ends source and target; a table of nodes is no list of edges"))
}

// numbers reports whether a column holds only numbers and empty fields.
func (t *table) numbers(column int) bool {
	return t.every(column, func(f []byte) bool { return isNumber(strings.Replace(string(f), ",", ".", 1)) })
}

// speaks reports whether a column holds only directions: directed or undirected.
func (t *table) speaks(column int) bool {
	return t.every(column, func(f []byte) bool { _, ok := directions[strings.ToLower(string(f))]; return ok })
}

func (t *table) every(column int, is func(field []byte) bool) bool {
	for _, l := range t.rows {
		fields, err := t.cut(l)
		if err != nil || column < len(fields) && len(fields[column]) > 0 && !is(bytes.TrimSpace(fields[column])) {
			return false
		}
	}
	return true
}
