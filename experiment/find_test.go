package experiment

import "testing"

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
