package walkpath

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What the members learn alone bounds what any of them learn together: the law of
// every coalition, of every walk that can be enumerated.
func TestPooledBoundsEveryCoalition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		w.Final = rapid.Bool().Draw(t, "final")
		var others []int
		var exact, bounds []*Law
		for x := range w.Nodes {
			if x != u {
				others = append(others, x)
				exact = append(exact, simpleLaw(w, u, x))
				bounds = append(bounds, w.boundedLaw(u, x, w.renewalOf(u, x)))
			}
		}
		for set := 1; set < 1<<len(others); set++ {
			var members []int
			var own []*Law
			for i, x := range others {
				if set>>i&1 == 1 {
					members, own = append(members, x), append(own, exact[i])
				}
			}
			truth := simpleCoalitionLaw(w, u, members)
			for name, pooled := range map[string]*Law{
				"members": Pooled(own, len(own)), "any": Pooled(exact, len(members)), "bounds": Pooled(bounds, len(members)),
			} {
				total := sum(pooled.Weights)
				if total < 1-1e-9 || total > 1+1e-9 {
					t.Fatalf("%s: weights add up to %g", name, total)
				}
				lawsAt(t, name, w, u, v, pooled, truth, 1e-9)
			}
		}
	})
}

// One law pooled with those of nobody is itself, rounded up by pooledStep at most.
func TestPooledOfOneIsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		law := w.boundedLaw(u, v, w.renewalOf(u, v))
		law.renewal = nil // prices a moment otherwise
		nobody := &Law{Energies: []float64{0}, Weights: []float64{1}, Most: law.Most}
		pooled := Pooled([]*Law{nobody, law}, 2)
		lawsAt(t, "pooled", w, u, v, pooled, law, 1e-9)
		if pooled.Mean() > law.Mean()*(1+2*pooledStep)+1e-12 {
			t.Fatalf("mean %g, was %g", pooled.Mean(), law.Mean())
		}
	})
}

// Few coalitions are priced one by one, each by its own law; many by one law that
// is no less than any of theirs.
func TestCoalitionsOfASize(t *testing.T) {
	w, _ := walkOn(t, "line:7")
	w.Turns, w.Cap = 80, 3
	alone := make([]*Law, w.Nodes)
	for v := range alone {
		if v != 1 {
			law, err := w.Law(1, v)
			if err != nil {
				t.Fatal(err)
			}
			alone[v] = law
		}
	}
	each, err := w.Coalitions(1, 2, alone, 1)
	if err != nil || len(each) != 15 {
		t.Fatalf("%d pairs of six, %v", len(each), err)
	}
	pooled := Pooled(slices.DeleteFunc(slices.Clone(alone), func(l *Law) bool { return l == nil }), 2)
	for _, c := range each {
		law, err := w.CoalitionLaw(1, c.Members)
		if err != nil || law.Epsilon(1e-6, 3) != c.Epsilon(1e-6, 3) {
			t.Errorf("%v: %v, %v", c.Members, c.Law, err)
		}
		if pooled.Epsilon(1e-6, 3) < c.Epsilon(1e-6, 3)*(1-1e-9) {
			t.Errorf("%v: eps %g, any two %g", c.Members, c.Epsilon(1e-6, 3), pooled.Epsilon(1e-6, 3))
		}
	}
	if all, err := w.Coalitions(1, 99, alone, 1); err != nil || len(all) != 1 || len(all[0].Members) != 6 {
		t.Errorf("all of them: %v, %v", all, err)
	}
	w, _ = walkOn(t, "complete:20")
	w.Turns = 10
	alone = make([]*Law, 20)
	law, err := w.Law(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for v := range 19 {
		alone[v+1] = law
	}
	many, err := w.Coalitions(0, 3, alone, 1)
	if err != nil || len(many) != 1 || many[0].Members != nil {
		t.Fatalf("969 coalitions: %v, %v", many, err)
	}
	one, err := w.CoalitionLaw(0, []int{1, 2, 3})
	if err != nil || many[0].Epsilon(1e-6, 3) < one.Epsilon(1e-6, 3) {
		t.Errorf("any three %g, three of them %g, %v", many[0].Epsilon(1e-6, 3), one.Epsilon(1e-6, 3), err)
	}
}
