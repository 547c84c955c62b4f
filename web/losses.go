package web

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// losses holds the losses of all pairs of a run, from privacy.npz.
type losses struct {
	n        int
	accounts []account
	hops     []int16 // n x n, from row to column; -1: unknown or unreachable; nil: no distances
	picture  *picture
}

// An account holds the losses by one accountant.
type account struct {
	Name     string        `json:"name"`
	Status   report.Status `json:"status"`
	Unpriced bool          `json:"unpriced"` // some pairs have no loss: NaN
	Low      float64       `json:"low"`      // ends of the colour scale; equal or 0: a single colour
	High     float64       `json:"high"`

	at []float64 // n x n, row: whose data; column: observer
}

// A picture is a drawn graph.
type picture struct {
	Directed bool      `json:"directed"`
	Edges    []int32   `json:"edges"` // from, to, from, to, ...
	Count    int       `json:"count"` // number of edges, drawn or not
	X        []float64 `json:"x"`     // in the unit square
	Y        []float64 `json:"y"`
	Missing  string    `json:"missing,omitempty"` // why edges are missing
}

// mostEdges is the largest number of edges that are drawn.
const mostEdges = 60_000

// bytes returns the memory that the losses take.
func (l *losses) bytes() int64 {
	return int64(l.n) * int64(l.n) * int64(8*len(l.accounts)+2)
}

// columnsOf returns the accountant of each array (report.WriteDir: privacy.json).
func columnsOf(text []byte) ([]struct{ Name, Accountant, Status string }, error) {
	var file struct {
		Columns []struct{ Name, Accountant, Status string }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("privacy.json: %w", err)
	}
	return file.Columns, nil
}

// arrayLimit returns the largest size in memory of the arrays of a file of size bytes.
func arrayLimit(size int64) int64 { return min(mostArrays, freeArrays+mostTimes*size) }

// readLosses reads the losses of the run in a folder.
func readLosses(b below) (*losses, error) {
	text, err := b.read("privacy.json", mostSmall)
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(text)
	if err != nil {
		return nil, err
	}
	file, err := b.file("privacy.npz", mostArrays)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, short(err)
	}
	arrays, err := readNPZ(file, info.Size(), arrayLimit(info.Size()))
	if err != nil {
		return nil, fmt.Errorf("privacy.npz: %w", err)
	}
	l := &losses{n: arrays.n}
	for _, c := range columns {
		at := arrays.arrays[c.Name]
		if at == nil {
			return nil, fmt.Errorf("privacy.npz has no array %.40q", c.Name)
		}
		a := account{Name: c.Accountant, Status: report.Status(c.Status), at: at}
		if err := a.look(l.n); err != nil {
			return nil, err
		}
		l.accounts = append(l.accounts, a)
	}
	if len(l.accounts) == 0 {
		return nil, errors.New("privacy.json names no column")
	}
	l.measure(arrays.arrays["distance"])
	return l, nil
}

// look computes the colour scale. It refuses negative losses.
func (a *account) look(n int) error {
	for i, x := range a.at {
		if math.IsNaN(x) {
			a.Unpriced = true
		} else if x < 0 {
			return fmt.Errorf("the loss of pair %d, %d by %.40q is %v, and no loss is negative", i/n, i%n, a.Name, x)
		}
	}
	a.Low, a.High = report.Range(a.at)
	return nil
}

// measure sets the distances, and the graph from distances of one hop.
func (l *losses) measure(distance []float64) {
	if distance == nil {
		return
	}
	l.hops = make([]int16, len(distance))
	for i, d := range distance {
		l.hops[i] = -1
		if d >= 0 && d <= math.MaxInt16 && d == math.Trunc(d) {
			l.hops[i] = int16(d)
		}
	}
	l.picture = l.draw()
}

// draw finds the edges and places the nodes.
func (l *losses) draw() *picture {
	p := &picture{}
	var pairs [][2]int32
	for u := range l.n {
		for v := range u {
			to, back := l.hops[u*l.n+v] == 1, l.hops[v*l.n+u] == 1
			if to {
				pairs = append(pairs, [2]int32{int32(u), int32(v)})
			}
			if back && !to {
				pairs = append(pairs, [2]int32{int32(v), int32(u)})
			}
			p.Directed = p.Directed || to != back
		}
	}
	p.Count = len(pairs)
	p.place(l.n, pairs)
	if len(pairs) > mostEdges {
		p.Missing = fmt.Sprintf("%d edges are too many to draw; those of the observer are shown.", len(pairs))
		return p
	}
	for _, e := range pairs {
		p.Edges = append(p.Edges, e[0], e[1])
	}
	return p
}

// place lays the nodes out by the graph. If it has too many edges it places them on a circle.
func (p *picture) place(n int, pairs [][2]int32) {
	p.X, p.Y = make([]float64, n), make([]float64, n)
	if len(pairs) > 0 && len(pairs) <= mostEdges {
		for u, at := range graph.Layout(graph.FromPairs(n, pairs, false)) {
			p.X[u], p.Y[u] = at.X, at.Y
		}
		return
	}
	for u := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(u) / float64(n))
		p.X[u], p.Y[u] = (1+cos)/2, (1+sin)/2
	}
}

// toward returns the losses of all nodes to one observer: for each accountant n losses, then n
// distances, as little-endian float64. A distance is -1 if it is not known.
func (l *losses) toward(observer int) []byte {
	return l.list(func(i int) int { return i*l.n + observer })
}

// from returns the losses of one node to all observers, in the same format.
func (l *losses) from(about int) []byte {
	return l.list(func(i int) int { return about*l.n + i })
}

func (l *losses) list(index func(i int) int) []byte {
	text := make([]byte, 0, 8*l.n*(len(l.accounts)+1))
	put := func(x float64) { text = binary.LittleEndian.AppendUint64(text, math.Float64bits(x)) }
	for _, a := range l.accounts {
		for i := range l.n {
			put(a.at[index(i)])
		}
	}
	for i := range l.n {
		if l.hops == nil {
			put(-1)
			continue
		}
		put(float64(l.hops[index(i)]))
	}
	return text
}

// worst returns the pair with the largest loss by the leading accountant. That is the sound one with
// the smallest mean, or else the first. Of several equal pairs the first counts.
func (l *losses) worst() (lead, about, observer int) {
	lead, mean := 0, math.Inf(1)
	for k, a := range l.accounts {
		if m := l.mean(a); a.Status == report.Sound && m < mean {
			lead, mean = k, m
		}
	}
	most := math.Inf(-1)
	for u := range l.n {
		for v := range l.n {
			if x := l.accounts[lead].at[u*l.n+v]; u != v && x > most {
				most, about, observer = x, u, v
			}
		}
	}
	if l.n > 1 && about == observer { // no pair has a loss
		about, observer = 0, 1
	}
	return lead, about, observer
}

// mean returns the mean over the pairs that have a loss.
func (l *losses) mean(a account) float64 {
	sum, count := 0.0, 0
	for i, x := range a.at {
		if i/l.n != i%l.n && !math.IsNaN(x) {
			sum, count = sum+x, count+1
		}
	}
	return sum / float64(max(1, count))
}
