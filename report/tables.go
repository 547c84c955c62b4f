package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// lineBuffer is the size at which a CSV table is handed to the file.
const lineBuffer = 1 << 20

// writeMetrics writes metrics.csv: a line per reported step, with the mean over trials of
// each curve, its standard deviation, minimum and maximum. It has consensus if nodes have
// models of their own, and the objective if one is minimised. Values that are not finite
// are empty cells.
func writeMetrics(w io.Writer, r *Result) error {
	out := bufio.NewWriter(w)
	out.WriteString("step")
	curves := []string{"train_loss", "test_loss", "test_accuracy"}
	if r.Final.Consensus != nil {
		curves = append(curves, "consensus")
	}
	if r.Final.Objective != nil {
		curves = append(curves, "objective")
	}
	for _, curve := range curves {
		for _, part := range []string{"mean", "std", "min", "max"} {
			out.WriteString("," + curve + "_" + part)
		}
	}
	out.WriteByte('\n')
	var line []byte
	for _, p := range r.Curve {
		if r.Final.TestAccuracy == nil {
			p.TestAccuracy = unknown
		}
		line = strconv.AppendInt(line[:0], int64(p.Step), 10)
		spreads := []Spread{p.TrainLoss, p.TestLoss, p.TestAccuracy}
		if r.Final.Consensus != nil {
			spreads = append(spreads, p.Consensus)
		}
		if r.Final.Objective != nil {
			spreads = append(spreads, p.Objective)
		}
		for _, s := range spreads {
			for _, x := range []Number{s.Mean, s.Std, s.Min, s.Max} {
				line = appendCell(line, x)
			}
		}
		out.Write(append(line, '\n'))
	}
	return out.Flush()
}

// appendCell appends a comma and x with all its digits.
func appendCell(line []byte, x Number) []byte {
	line = append(line, ',')
	if !x.Finite() {
		return line
	}
	return strconv.AppendFloat(line, float64(x), 'g', -1, 64)
}

// columns names one CSV column and NumPy array per accountant: eps_<accountant>_<status>,
// or eps_<status> if both are the same word.
func columns(losses []*Losses) []string {
	names := make([]string, len(losses))
	seen := map[string]int{}
	for k, l := range losses {
		name := "eps_" + plain(l.Accountant) + "_" + plain(string(l.Status))
		if l.Accountant == string(l.Status) {
			name = "eps_" + plain(string(l.Status))
		}
		if seen[name]++; seen[name] > 1 {
			name += "_" + strconv.Itoa(seen[name])
		}
		names[k] = name
	}
	return names
}

// plain keeps the characters that every reader of CSV and NumPy accepts in a name.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, s)
}

// writePairs writes privacy.csv: u (whose data), v (observer), their distance in hops
// (empty if unknown or unreachable) and the loss under each accountant. The loss is "inf"
// without a bound, and empty if an audit did not attack the pair (see appendLoss). If
// nodes have names it also writes those of u and v. Up to limits.dense nodes it lists all
// ordered pairs by u, then v; above, the worst of the examined ones, the largest first.
func writePairs(w io.Writer, s *survey) error {
	out := bufio.NewWriterSize(w, lineBuffer)
	fmt.Fprintf(out, "%s", strings.Join(append([]string{"u", "v", "distance"}, columns(s.losses)...), ","))
	if s.names != nil {
		out.WriteString(",u_name,v_name")
	}
	out.WriteByte('\n')
	names := cells(s.names)
	if s.all != nil {
		if err := s.all.writeLines(out, s.losses, names); err != nil {
			return err
		}
		return out.Flush()
	}
	var line []byte
	for _, p := range s.list.descending() {
		line = appendPair(line[:0], int(p.u), int(p.v), p.hops)
		for k, eps := range p.eps {
			line = appendLoss(line, eps, s.losses[k].Status)
		}
		out.Write(append(appendNames(line, names, int(p.u), int(p.v)), '\n'))
	}
	return out.Flush()
}

// cells returns names as CSV cells, each after a comma. It returns an empty list for
// none.
func cells(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		if strings.ContainsAny(name, ",\"\r\n") || strings.TrimSpace(name) != name {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		list[i] = "," + name
	}
	return list
}

func appendNames(line []byte, names []string, u, v int) []byte {
	if len(names) == 0 {
		return line
	}
	return append(append(line, names[u]...), names[v]...)
}

// writeNodes writes nodes.csv: the name of each node, and its largest losses if they are
// known. neighbours is empty if the edges are not known. towards and about are empty if
// no pair was priced.
func writeNodes(w io.Writer, b *Bundle) error {
	out := bufio.NewWriter(w)
	out.WriteString("node,name,neighbours")
	if b.Result.Privacy.Nodes != nil {
		out.WriteString(",accountant,loses,towards,learns,about")
	}
	out.WriteByte('\n')
	var names []string
	var degrees []int
	if p := b.Picture; p != nil {
		names = cells(p.Names)
		degrees = make([]int, b.Result.Graph.Nodes)
		for _, e := range p.Edges {
			degrees[e[0]]++
			if !p.Directed {
				degrees[e[1]]++
			}
		}
	}
	for v := range b.Result.Graph.Nodes {
		name, degree := ",node "+strconv.Itoa(v), ""
		if len(names) > 0 {
			name = names[v]
		}
		if degrees != nil {
			degree = strconv.Itoa(degrees[v])
		}
		fmt.Fprintf(out, "%d%s,%s", v, name, degree)
		if n := b.Result.Privacy.Nodes; n != nil {
			out.Write(n.appendLine(nil, v))
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// writeLines stops at the first error, so that an interrupted run does not format
// millions of lines in vain.
func (d *dense) writeLines(out *bufio.Writer, losses []*Losses, names []string) error {
	var line []byte
	text := make([]column, len(losses))
	for k, l := range losses {
		text[k].status = l.Status
	}
	for u := range d.n {
		for v := range d.n {
			if u == v {
				continue
			}
			line = appendPair(line[:0], u, v, d.hops[v*d.n+u])
			for k, eps := range d.eps {
				line = append(line, text[k].of(eps[u*d.n+v])...)
			}
			line = appendNames(line, names, u, v)
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

func appendPair(line []byte, u, v int, hops int32) []byte {
	line = append(strconv.AppendInt(line, int64(u), 10), ',')
	line = append(strconv.AppendInt(line, int64(v), 10), ',')
	if hops < 0 {
		return line
	}
	return strconv.AppendInt(line, int64(hops), 10)
}

// writeDistances writes privacy_by_distance.csv: per distance, the number of ordered
// pairs, and the mean, min and max loss under each accountant. Distance -1 collects the
// pairs without a path.
func writeDistances(w io.Writer, s *survey) error {
	out := bufio.NewWriter(w)
	out.WriteString("distance,pairs")
	for _, name := range columns(s.losses) {
		fmt.Fprintf(out, ",%s_mean,%s_min,%s_max", name, name, name)
	}
	out.WriteByte('\n')
	var line []byte
	for hops, r := range s.distances.rings {
		if r.pairs == 0 {
			continue
		}
		line = strconv.AppendInt(line[:0], int64(distance(hops)), 10)
		line = append(line, ',')
		line = strconv.AppendInt(line, r.pairs, 10)
		for k, e := range r.eps {
			if e.pairs == 0 {
				line = append(line, ",,,"...)
				continue
			}
			for _, eps := range []float64{r.mean(k), e.Min, e.Max} {
				line = appendLoss(line, eps, s.losses[k].Status)
			}
		}
		out.Write(append(line, '\n'))
	}
	return out.Flush()
}

// distance returns the distance of the pairs in ring number i.
func distance(i int) int {
	if i == 0 {
		return -1
	}
	return i
}
