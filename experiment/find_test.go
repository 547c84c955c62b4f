package experiment

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
)

// Nodes are found by their names, by numbers where those are no names.
func TestFindNodesByName(t *testing.T) {
	const data = "data: {source: two-gaussians}\ngraph: "
	named := prepare(t, load(t, map[string]string{"spec.yaml": data + "g.edges" + tail, "g.edges": "clinic_012 basel\nbasel carol\n"}))
	sparse := prepare(t, load(t, map[string]string{"spec.yaml": data + "g.edges" + tail, "g.edges": "7 9\n9 11\n"}))
	plain := prepare(t, load(t, map[string]string{"spec.yaml": data + "ring:3" + tail}))
	for _, c := range []struct {
		s      *Priced
		called string
		want   int // -1: nobody
	}{
		{named, "clinic_012", 2}, {named, " basel ", 0}, {named, "2", 2}, {named, "clinic", -1}, {named, "3", -1},
		{sparse, "9", 1}, {sparse, "node 11", 2}, {sparse, "0", -1}, {sparse, "2", -1},
		{plain, "0", 0}, {plain, "2", 2}, {plain, "node 1", 1}, {plain, "3", -1}, {plain, "-1", -1}, {plain, "", -1},
	} {
		got, err := c.s.Find(c.called)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%q is node %d (%v), want %d", c.called, got, err, c.want)
		}
	}
	if name := named.Name(2); name != "node 2 (clinic_012)" {
		t.Errorf("node 2 is called %s", name)
	}
	if e, err := named.Explain(2, 1); err == nil && e.AboutName != "node 2 (clinic_012)" {
		t.Errorf("%+v", e)
	}
}

// A walk starts at the node that the spec names, as if by its number; a name that
// nobody has is an error.
func TestStartByName(t *testing.T) {
	start := func(at, edges string) (int, error) {
		s := load(t, map[string]string{"g.edges": edges, "spec.yaml": "data: {source: two-gaussians}\ngraph: g.edges" +
			strings.Replace(tail, "steps: 20", "steps: 20, start: "+at, 1)})
		open, err := Open(t.Context(), s, nil)
		if err != nil {
			return -1, err
		}
		return open.Algorithm.(*walkfamily.Algorithm).Spec.Algorithm.Start.Node, nil
	}
	const names, numbers = "clinic_012 basel\nbasel carol\n", "7 9\n9 11\n"
	for _, c := range []struct {
		at, edges string
		want      int // -1: nobody
	}{
		{"clinic_012", names, 2}, {"basel", names, 0}, {"2", names, 2}, {"zoe", names, -1}, {"3", names, -1},
		{`"9"`, numbers, 1}, {`"2"`, numbers, -1}, {"9", numbers, -1},
	} {
		if got, err := start(c.at, c.edges); got != c.want || err != nil && !strings.Contains(err.Error(), "algorithm.start") {
			t.Errorf("start: %s is node %d (%v), want %d", c.at, got, err, c.want)
		}
	}
}
