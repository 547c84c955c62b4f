package graphfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A table is an edge list: a line for every edge, with the ids of its ends in two columns, and optional columns for a
// weight, a direction and others.
type table struct {
	*builder
	name      string
	rows      []line // without comments, blank lines and the header
	separator byte
	header    [][]byte // nil: none
	from, to  int      // the columns of the ends
	weight    int      // -1: none
	direction int      // the column that says directed or not, -1: none
	said      comments
	arrows    bool     // lines are arrows, unless the file says otherwise
	fields    [][]byte // scratch
}

// readTable reads an edge list. A header tells which columns hold the ends; without one they are the first two.
func readTable(lines []line, name string, arrows bool) (*graph.Graph, error) {
	t := &table{arrows: arrows, builder: newBuilder(name), name: name, said: commentsOf(lines), weight: -1, direction: -1, from: 0, to: 1}
	t.rows = ofIDs(lines)
	if len(t.rows) == 0 {
		return nil, fault.New(name+": there is no edge in it", "write one edge a line: two node ids and a space between")
	}
	for _, do := range []func() error{t.separate, t.head, t.sized, t.columns, t.edges, t.direct} {
		if err := do(); err != nil {
			return nil, err
		}
	}
	t.Dropped.Said = t.said.note(len(t.Nodes), len(t.rows), t.Dropped.Said)
	return t.Graph()
}

// ofIDs returns the lines that are neither blank nor comments.
func ofIDs(lines []line) []line {
	rows := make([]line, 0, len(lines))
	for _, l := range lines {
		if !l.silent() {
			rows = append(rows, l)
		}
	}
	return rows
}

// wrong returns err with the name of the file and the number of the line.
func (t *table) wrong(l line, err error) error {
	hint := fault.Hint(err)
	if hint == "" {
		hint = elseHint
	}
	return fault.Wrap(err, fmt.Sprintf("%s line %d", t.name, l.number), hint)
}

// cut splits a line into fields, which are valid until the next call.
func (t *table) cut(l line) ([][]byte, error) {
	var err error
	t.fields, err = graph.Fields(t.fields[:0], l.text, t.separator)
	if err != nil {
		return nil, t.wrong(l, err)
	}
	return t.fields, nil
}

// separate finds the separator: a character that occurs in every line, a tab before all others.
func (t *table) separate() error {
	t.separator = ' '
	most := 0
	for _, s := range []byte("\t;,") {
		least := -1
		for _, l := range t.rows {
			if n := bytes.Count(l.text, []byte{s}); least < 0 || n < least {
				least = n
			}
		}
		if least > most { // 1;2;0,5 has more semicolons
			t.separator, most = s, least
		}
		if s == '\t' && most > 0 {
			break
		}
	}
	if bytes.IndexByte(t.rows[0].text, '{') >= 0 && t.separator != '\t' {
		t.separator = ' ' // attributes as networkx writes them
	}
	if t.separator == '\t' {
		return t.beforeTabs()
	}
	return nil
}

// beforeTabs checks the text before the first tab of each line. If every line has two ids there and a number after the
// tab, the tab only separates a weight.
func (t *table) beforeTabs() error {
	integer := true
	for _, l := range t.rows {
		first, rest, _ := bytes.Cut(l.text, []byte("\t"))
		words := bytes.Fields(first)
		_, err := strconv.ParseFloat(string(bytes.TrimSpace(rest)), 64)
		if len(words) != 2 || err != nil || first[0] == '"' {
			return nil
		}
		_, ok := integers(first, 2)
		integer = integer && ok
	}
	if integer {
		t.separator = ' '
		return nil
	}
	return fault.New(fmt.Sprintf("%s line %d: %q may be one id with a space in it, or the two ends of an edge with a weight", t.name, t.rows[0].number, clip(t.rows[0].text)),
		"separate all columns by tabs, or put ids with spaces in quotes")
}

// columns checks the number of columns. It returns an error that asks the user if a third column is no weight.
func (t *table) columns() error {
	if t.header != nil || len(t.rows) == 0 {
		return nil
	}
	if dimacs, err := t.letterFirst(); dimacs || err != nil {
		return err
	}
	for _, l := range t.rows {
		fields, err := t.cut(l)
		if err != nil {
			return err
		}
		if len(fields) < 3 || len(fields[2]) == 0 || fields[2][0] == '{' {
			continue
		}
		if _, err := strconv.ParseFloat(string(fields[2]), 64); err == nil && len(fields) < 5 {
			t.weight = 2
			continue
		}
		if t.separator == ' ' {
			return t.wrong(l, fault.New(fmt.Sprintf("%q has %d words, and the third is no weight", clip(l.text), len(fields)),
				"separate ids with spaces in them by tabs or commas, or put them in quotes; or name the columns in a first line, such as: "+suggest(len(fields), ' ')))
		}
		return t.wrong(l, fault.New(fmt.Sprintf("%q has %d columns, and nothing says which are the ends of an edge", clip(l.text), len(fields)),
			"name the columns in a first line, such as: "+suggest(len(fields), t.separator)))
	}
	return nil
}

// suggest returns an example header for n columns.
func suggest(n int, separator byte) string {
	names := []string{"source", "relation", "target"}
	if n == 2 {
		names = []string{"source", "target"}
	}
	for len(names) < n {
		names = append(names, fmt.Sprintf("other%d", len(names)-2))
	}
	return strings.Join(names, string(separator))
}

// letterFirst reports whether every line is the same letter and two numbers, as in DIMACS. Columns 1 and 2 hold the
// ends then.
func (t *table) letterFirst() (bool, error) {
	letter := byte(0)
	for _, l := range t.rows {
		fields, err := t.cut(l)
		if err != nil {
			return false, err
		}
		if len(fields) < 3 || len(fields[0]) != 1 || (fields[0][0] != 'e' && fields[0][0] != 'a') || letter != 0 && fields[0][0] != letter {
			return false, nil
		}
		if _, ok := integers(bytes.Join(fields[1:3], []byte(" ")), 2); !ok {
			return false, nil
		}
		letter = fields[0][0]
	}
	t.from, t.to, t.weight = 1, 2, 3
	t.Dropped.Said = fmt.Sprintf("the letter %q before every edge is left out", letter)
	if letter == 'a' { // arcs, of shortest paths
		t.said.directed = true
	}
	return true, nil
}

// edges adds all edges.
func (t *table) edges() error {
	if len(t.rows) == 0 {
		return fault.New(fmt.Sprintf("%s: there is no edge in it, only the header %q", t.name, t.Dropped.Header), "write one edge a line: two node ids and a space between")
	}
	for _, l := range t.rows {
		fields, err := t.cut(l)
		if err != nil {
			return err
		}
		if len(fields) <= max(t.from, t.to) {
			return t.wrong(l, fault.New(fmt.Sprintf("wants two node ids, not %q", clip(l.text)), "write one edge a line: two ids and a space, tab or comma between"))
		}
		if bytes.HasPrefix(fields[t.to], []byte("{")) {
			return t.wrong(l, fault.New(fmt.Sprintf("the second id is %q", clip(fields[t.to])), "that is no edge list of networkx; use write_graphml or write_edgelist"))
		}
		if err := t.take(fields); err != nil {
			return t.wrong(l, err)
		}
	}
	return nil
}

// take adds the edge of one line.
func (t *table) take(fields [][]byte) error {
	left, right := "", ""
	if t.said.bipartite {
		left, right = "L", "R"
	}
	u, err := t.called(left, fields[t.from])
	if err != nil {
		return err
	}
	v, err := t.called(right, fields[t.to])
	if err != nil {
		return err
	}
	weight, more := noWeight, false
	for i, f := range fields {
		switch {
		case i == t.from || i == t.to || len(f) == 0:
		case i == t.direction:
			err = t.turned(f)
		case i == t.weight:
			if weight, err = strconv.ParseFloat(strings.Replace(string(f), ",", ".", 1), 64); err != nil {
				err = fmt.Errorf("the weight %q is no number", clip(f))
			}
		case f[0] == '{':
			weight, more = attributesOf(f)
		default:
			more = true
		}
		if err != nil {
			return err
		}
	}
	t.edge(u, v, weight)
	if more && (weight == 1 || math.IsNaN(weight)) {
		t.Dropped.Columns++
	}
	return nil
}

// longestID is the largest size in bytes of a node id.
const longestID = 1000

// called returns the number of the node with that id, and adds the node if it is new. kind is put before the id.
func (t *table) called(kind string, id []byte) (int32, error) {
	if kind == "" {
		if u, known := t.at[string(id)]; known {
			return u, nil
		}
	}
	name := kind + string(id)
	if u, known := t.at[name]; known {
		return u, nil
	}
	if len(id) == 0 || len(id) > longestID {
		return 0, fault.New(fmt.Sprintf("the node id %q has %d bytes, not 1 to %d", clip(id), len(id), longestID), "write one edge a line: two ids and a space, tab or comma between")
	}
	return int32(len(t.Nodes)), t.node(name, name)
}

// turned applies the direction that the direction column gives an edge.
func (t *table) turned(word []byte) error {
	one, known := directions[strings.ToLower(string(word))]
	switch {
	case !known:
		return fault.New(fmt.Sprintf("the column %q says %q", t.header[t.direction], clip(word)), "it says Directed or Undirected; without that column edges have no direction")
	case t.said.spoken && t.said.directed != one:
		return fault.New("some edges are directed and some are not", "write every edge that goes both ways twice, and call all of them directed")
	}
	t.said.spoken, t.said.directed = true, one
	return nil
}

// directions are the words of the direction column; true means directed.
var directions = map[string]bool{"directed": true, "true": true, "1": true, "undirected": false, "false": false, "0": false}

// direct decides whether edges have a direction. They do if the file says so, unless it lists every edge both ways. If
// the file is silent the caller decides.
func (t *table) direct() error {
	if t.arrows && !t.said.spoken {
		t.Directed = true
		return nil
	}
	if t.said.directed && !t.said.bipartite {
		if t.Directed = !bothWays(t.Edges); !t.Directed {
			t.once()
		}
	}
	return nil
}

// attributesOf reads the weight from the attributes that networkx writes after an edge: {'weight': 2} or {}.
func attributesOf(text []byte) (weight float64, more bool) {
	at := bytes.Index(text, []byte("weight"))
	if at < 0 {
		return noWeight, !bytes.Equal(text, []byte("{}"))
	}
	rest := bytes.TrimLeft(text[at+len("weight"):], "'\": ")
	rest = rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789.eE+-"))]
	weight, err := strconv.ParseFloat(string(rest), 64)
	if err != nil {
		return noWeight, true
	}
	return weight, true
}
