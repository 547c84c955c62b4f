package report

import (
	"fmt"
	"strings"
	"testing"
)

// ownBundle is what node 1 of a hypercube knows of a run.
func ownBundle(k int) *Bundle {
	b := hypercubeBundle(k)
	for _, l := range b.Losses {
		at := l.At
		l.Status = Sound
		l.At = func(u, v int) float64 {
			if u != 1 {
				panic(fmt.Sprintf("asked what node %d lost", u))
			}
			return at(u, v)
		}
	}
	b.Losses[0].Accountant, b.Losses[1].Accountant = "spent", "allowed (path)"
	b.Result.Privacy.Accounted = Accounted{Accountant: "spent", Status: Sound, Mean: 0.5, Max: 1}
	b.Result.Privacy.Others = List[Accounted]{{Accountant: "allowed (path)", Status: Sound, Mean: 0.6, Max: 2}}
	b.Result.Privacy.Simulated = false
	b.Own = &Own{Node: 1, Name: "node 1", Standing: "The run has ended.", Contributed: 7, Most: 9, Losses: "statement.json", Model: "model.json",
		Parameters: []Parameter{{"age", 0.25}}, Together: []OwnLoss{{Name: "any 2 together", Allowed: 2.5, Spent: 2, Deviating: 2},
			{Name: "all others together", Allowed: 3, Spent: 2, Deviating: 2}}}
	for v := range b.Result.Graph.Nodes {
		if v != 1 {
			b.Own.Towards = append(b.Own.Towards, OwnLoss{Name: fmt.Sprintf("node %d", v), Hops: 1, Allowed: 2, Spent: 1, Deviating: 2})
		}
	}
	return b
}

// A participant's page asks for no loss but its own, and says nothing that only
// a simulation knows.
func TestOwnPageKnowsItsOwnLossesOnly(t *testing.T) {
	var page strings.Builder
	if err := Page(t.Context(), &page, ownBundle(3)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"This is the page of <b>node 1</b>", "any 2 together", "all others together", "statement.json", "7 contributions",
		`id="model"`, `"known":[1]`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, wrong := range []string{"Every pair in one picture", "over all ordered pairs", "find the pair in privacy.csv", "same results bit for bit",
		"Simulated noise", "wall time", "a node<"} {
		if strings.Contains(page.String(), wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
	b := ownBundle(3)
	b.Own.Node = 8
	if err := Page(t.Context(), &page, b); err == nil {
		t.Error("a page of a node that is not there")
	}
}

func TestBrowserOpensOwnPage(t *testing.T) {
	dom := dumped(t, ownBundle(5))
	got := wordsOf(dom, "answer")
	if !strings.Contains(got, "knows all data but that of node 1, and is undecided between two possibilities for it. Everything it saw") || !strings.HasSuffix(got, "They are 1 hop apart.") {
		t.Errorf("the answer is %q", got)
	}
	if !strings.Contains(dom, `id="swap" hidden`) {
		t.Error("the losses of others are offered")
	}
}

// A directed graph is drawn from the participant outwards, as its data flow.
func TestBrowserOwnPageOfADirectedGraph(t *testing.T) {
	b := ownBundle(3)
	n := int32(b.Result.Graph.Nodes)
	b.Picture = &Picture{Directed: true}
	for v := range n {
		b.Picture.Edges = append(b.Picture.Edges, [2]int32{v, (v + 1) % n})
	}
	if got := wordsOf(dumped(t, b), "answer"); !strings.Contains(got, "Suppose node 0 knows all data but") ||
		!strings.HasSuffix(got, fmt.Sprintf("They are %d hops apart.", n-1)) {
		t.Errorf("the answer is %q", got)
	}
}
