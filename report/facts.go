package report

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Graphs up to this size are drawn.
const (
	maxDrawnNodes = 5000
	maxDrawnEdges = 60_000
)

// facts is the data of the page's script, as JSON.
type facts struct {
	Nodes       int          `json:"nodes"`
	Names       []string     `json:"names"`     // null: node 0, node 1, ...
	Observers   []int        `json:"observers"` // null: all
	Known       []int        `json:"known"`     // nodes with known losses; null: all
	File        string       `json:"file"`      // with the exact losses
	Observer    int          `json:"observer"`  // selected at first
	About       int          `json:"about"`
	Chosen      string       `json:"-"` // how this pair was selected
	Delta       float64      `json:"delta"`
	Order       float64      `json:"order"`
	Record      string       `json:"record,omitempty"` // the protected unit within a participant; "": all its data
	Accountants []lossFact   `json:"accountants"`
	Each        *nodeColumns `json:"each"` // null: there is no table of nodes
	Palette     []string     `json:"palette"`
	Drawn       bool         `json:"drawn"`
	Placed      bool         `json:"placed"`  // positions are known
	Spatial     bool         `json:"spatial"` // positions are shown at first
	Directed    bool         `json:"directed"`
}

type lossFact struct {
	Name      string  `json:"name"`
	Status    Status  `json:"status"`
	Unpriced  bool    `json:"unpriced"` // some pairs have no loss: NaN
	Symmetric bool    `json:"symmetric"`
	Low       float64 `json:"low"`  // ends of the colour scale; equal or 0 for a single colour
	High      float64 `json:"high"` //
}

func newFacts(b *Bundle, s *survey, observers []int, payloads []payload) facts {
	p := &b.Result.Privacy
	f := facts{Nodes: s.n, Delta: p.Delta, Order: p.Order, Record: p.OneRecord(), Palette: hexes(colourMap())}
	if len(observers) < s.n {
		f.Observers = observers
	}
	if f.File = "privacy.csv"; b.Own != nil {
		f.Known, f.File = s.about, b.Own.Losses
	}
	f.Observer, f.About, f.Chosen = firstPair(s, observers, leading(s, p))
	for k, l := range s.losses {
		p := payloads[k]
		f.Accountants = append(f.Accountants, lossFact{l.Accountant, l.Status, l.Partial, p.Symmetric, p.Low, p.High})
	}
	f.Each = newNodeColumns(p.Nodes, s.losses)
	if b.Picture != nil {
		f.Names, f.Directed, f.Placed = b.Picture.Names, b.Picture.Directed, len(b.Picture.X) > 0
		f.Drawn = undrawable(b) == ""
		f.Spatial = f.Drawn && f.Placed && spatial(b.Picture)
	}
	return f
}

// Unpriced reports whether some accountant has unpriced pairs.
func (f *facts) Unpriced() bool {
	return slices.ContainsFunc(f.Accountants, func(a lossFact) bool { return a.Unpriced })
}

// firstPair returns the pair that the page shows first: the one with the largest
// loss by the leading accountant, among the pairs on the page. On ties it is the
// first, by observer. how describes the choice in words.
func firstPair(s *survey, observers []int, lead int) (v, u int, how string) {
	most, least, unpriced, first := math.Inf(-1), math.Inf(1), 0, true
	for _, at := range observers {
		for _, about := range s.about {
			if about == at {
				continue
			}
			if first { // the default if no pair is priced
				v, u, first = at, about, false
			}
			loss := s.at(lead, about, at)
			if math.IsNaN(loss) {
				unpriced++
				continue
			}
			least = min(least, loss)
			if loss > most {
				most, v, u = loss, at, about
			}
		}
	}
	a := s.losses[lead]
	if unpriced > 0 {
		return v, u, fmt.Sprintf("The page opens on the first of the pairs that lose most of those that accountant %s (%s) priced.", a.Accountant, a.Status)
	}
	if most == least {
		return v, u, fmt.Sprintf("All pairs lose the same by accountant %s (%s); the page opens on the first.", a.Accountant, a.Status)
	}
	return v, u, fmt.Sprintf("The page opens on the first of the pairs that lose most by accountant %s (%s).", a.Accountant, a.Status)
}

// leading returns the index of the leading accountant: the sound one with the
// smallest mean, or else the first.
func leading(s *survey, p *Privacy) int {
	if best := bestSound(p); best != nil {
		for k, l := range s.losses {
			if l.Accountant == best.Accountant && l.Status == best.Status {
				return k
			}
		}
	}
	return 0
}

// spatial reports whether positions are more informative than distances. They are
// on a graph small enough to see every edge, and on one whose edges join close
// nodes. Positions of other graphs only spread their nodes.
func spatial(p *Picture) bool {
	const few, close = 60, 0.12
	if len(p.Edges) <= few {
		return true
	}
	size := max(slices.Max(p.X)-slices.Min(p.X), slices.Max(p.Y)-slices.Min(p.Y))
	total := 0.0
	for _, e := range p.Edges {
		total += math.Hypot(p.X[e[0]]-p.X[e[1]], p.Y[e[0]]-p.Y[e[1]])
	}
	return total/float64(len(p.Edges)) < close*size
}

// roundingError returns the largest rounding error of all payloads in per cent.
// It returns "" if there is none.
func roundingError(payloads []payload) string {
	worst := 0.0
	for _, p := range payloads {
		worst = max(worst, p.Error)
	}
	if worst < 1e-9 {
		return ""
	}
	return bound(100*worst, Sound)
}

func lossBlobs(payloads []payload) []blob {
	var list []blob
	for k, p := range payloads {
		id := strconv.Itoa(k)
		list = append(list, blob{"shown-" + id, p.Shown}, blob{"codes-" + id, p.Codes})
	}
	return list
}

// undrawable returns the reason why the graph is not drawn. It returns "" if it
// is drawn.
func undrawable(b *Bundle) string {
	switch p := b.Picture; {
	case p == nil || len(p.Edges) == 0:
		return "The edges of the graph are not known to this report, so it is not drawn."
	case b.Result.Graph.Nodes > maxDrawnNodes || len(p.Edges) > maxDrawnEdges:
		return fmt.Sprintf("A graph of %s nodes and %s edges is too big to draw legibly; choose a pair above.",
			count(b.Result.Graph.Nodes), count(len(p.Edges)))
	}
	return ""
}

// drawing packs edges (all first ends, then all second ends, uint32) and
// positions (all x, then all y, uint16 in the unit square).
func drawing(p *Picture) []blob {
	var edges []byte
	for end := range 2 {
		for _, e := range p.Edges {
			edges = binary.LittleEndian.AppendUint32(edges, uint32(e[end]))
		}
	}
	list := []blob{{"edges", pack(edges)}}
	if len(p.X) > 0 {
		list = append(list, blob{"positions", pack(placed(p.X, p.Y))})
	}
	return list
}

// placed scales positions into the unit square and keeps their proportions.
func placed(x, y []float64) []byte {
	left, bottom := slices.Min(x), slices.Min(y)
	size := max(slices.Max(x)-left, slices.Max(y)-bottom)
	if !(size > 0) {
		size = 1
	}
	var data []byte
	for _, axis := range []struct {
		at    []float64
		start float64
	}{{x, left}, {y, bottom}} {
		for _, at := range axis.at {
			data = binary.LittleEndian.AppendUint16(data, uint16((at-axis.start)/size*math.MaxUint16))
		}
	}
	return data
}
