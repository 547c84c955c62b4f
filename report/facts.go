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

// facts is what the page's script is told, as JSON.
type facts struct {
	Nodes       int          `json:"nodes"`
	Names       []string     `json:"names"`     // null: node 0, node 1, ...
	Observers   []int        `json:"observers"` // null: all
	Known       []int        `json:"known"`     // whose losses there are; null: all
	File        string       `json:"file"`      // that has the exact losses
	Observer    int          `json:"observer"`  // chosen at first
	About       int          `json:"about"`
	Chosen      string       `json:"-"` // how these two were
	Delta       float64      `json:"delta"`
	Order       float64      `json:"order"`
	Record      string       `json:"record,omitempty"` // what is protected of a participant; "": all its data
	Accountants []lossFact   `json:"accountants"`
	Each        *nodeColumns `json:"each"` // null: the table of nodes is left out
	Palette     []string     `json:"palette"`
	Drawn       bool         `json:"drawn"`
	Placed      bool         `json:"placed"`  // positions are known
	Spatial     bool         `json:"spatial"` // positions are shown at first
	Directed    bool         `json:"directed"`
}

type lossFact struct {
	Name      string  `json:"name"`
	Status    Status  `json:"status"`
	Unpriced  bool    `json:"unpriced"` // some pairs are: NaN
	Symmetric bool    `json:"symmetric"`
	Low       float64 `json:"low"`  // ends of the colour scale; equal or 0 when it has one colour
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

// Unpriced reports whether some accountant has pairs that it did not price.
func (f *facts) Unpriced() bool {
	return slices.ContainsFunc(f.Accountants, func(a lossFact) bool { return a.Unpriced })
}

// firstPair is the pair the page opens on: of those it carries, the one that
// loses most by the accountant that a reader should go by, the best sound one. On
// ties it is the first, by observer. how says in words what was chosen.
func firstPair(s *survey, observers []int, lead int) (v, u int, how string) {
	most, least, unpriced, first := math.Inf(-1), math.Inf(1), 0, true
	for _, at := range observers {
		for _, about := range s.about {
			if about == at {
				continue
			}
			if first { // of all, should none be priced
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

// leading is the accountant that a reader should go by: the sound one with the
// smallest mean, else the first.
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

// spatial reports whether positions tell more than distances do: a graph small
// enough to see every edge, or one whose edges join what lies close. The
// positions of other graphs only spread their nodes.
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

// roundingError is the largest over all payloads, in per cent, "" for none.
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

// undrawable says why the graph is not drawn, "" if it is.
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

// placed scales positions into the unit square, keeping their proportions.
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
