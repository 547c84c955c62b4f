package papers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/report"
)

// A Point summarises a loss over ordered pairs at one distance.
type Point struct {
	Distance       int
	Pairs          int
	Mean, Min, Max float64
}

// A Curve is a loss by distance on one graph.
type Curve struct {
	Graph  string
	Name   string
	Unit   string
	Status report.Status
	Points []Point // by distance, ascending
	Rounds int     // rounds of gossip, or turns of a walk
}

// tally collects losses by distance.
type tally map[int]Point

func (t tally) add(distance int, loss float64) {
	p, seen := t[distance]
	if !seen {
		p = Point{Distance: distance, Min: loss, Max: loss}
	}
	p.Pairs++
	p.Mean += (loss - p.Mean) / float64(p.Pairs)
	p.Min, p.Max = min(p.Min, loss), max(p.Max, loss)
	t[distance] = p
}

func (t tally) points() []Point {
	return slices.SortedFunc(maps.Values(t), func(a, b Point) int { return a.Distance - b.Distance })
}

// at returns the point at a distance. It returns false if no pair has it.
func (c Curve) at(distance int) (Point, bool) {
	for _, p := range c.Points {
		if p.Distance == distance {
			return p, true
		}
	}
	return Point{}, false
}

// mean returns the mean over all pairs of the curve.
func (c Curve) mean() float64 {
	sum, pairs := 0.0, 0
	for _, p := range c.Points {
		sum += float64(p.Mean * float64(p.Pairs))
		pairs += p.Pairs
	}
	return sum / float64(max(1, pairs))
}

// line returns the curve up to a distance, with its range over pairs if
// ranged.
func (c Curve) line(most int, ranged bool) Line {
	l := Line{Name: fmt.Sprintf("%s (%s)", c.Name, c.Status)}
	for _, p := range c.Points {
		if p.Distance > most {
			break
		}
		l.X, l.Y = append(l.X, float64(p.Distance)), append(l.Y, p.Mean)
		if ranged {
			l.Low, l.High = append(l.Low, p.Min), append(l.High, p.Max)
		}
	}
	return l
}

// curveTable lists curves point by point.
func curveTable(name string, curves []Curve) Table {
	t := Table{Name: name, Header: []string{"graph", "curve", "status", "unit", "rounds", "distance", "pairs", "mean", "min", "max"}}
	for _, c := range curves {
		for _, p := range c.Points {
			t.Rows = append(t.Rows, []string{
				c.Graph, c.Name, string(c.Status), c.Unit, strconv.Itoa(c.Rounds), strconv.Itoa(p.Distance), strconv.Itoa(p.Pairs),
				fmt.Sprintf("%.6g", p.Mean), fmt.Sprintf("%.6g", p.Min), fmt.Sprintf("%.6g", p.Max),
			})
		}
	}
	return t
}

// below returns the distances at which both means are known, and those of
// them at which a's mean is below b's.
func below(a, b Curve, most int) (lower, both []int) {
	for _, p := range a.Points {
		q, known := b.at(p.Distance)
		if !known || p.Distance > most {
			continue
		}
		both = append(both, p.Distance)
		if p.Mean < q.Mean {
			lower = append(lower, p.Distance)
		}
	}
	return lower, both
}

// spans formats ascending numbers as ranges: 1-6, 8.
func spans(numbers []int) string {
	var list []string
	for i := 0; i < len(numbers); {
		from := i
		for i++; i < len(numbers) && numbers[i] == numbers[i-1]+1; i++ {
		}
		if i-from < 3 {
			for _, x := range numbers[from:i] {
				list = append(list, strconv.Itoa(x))
			}
			continue
		}
		list = append(list, fmt.Sprintf("%d-%d", numbers[from], numbers[i-1]))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
