package walkpath_test

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
)

// The price of a walk on one's own graph: what Dora learns about Ada when a token
// walks 100 turns among friends.
func Example() {
	g, _ := graphfile.Read(strings.NewReader("Ada,Ben\nBen,Cleo\nCleo,Ada\nCleo,Dora\n"), "friends")
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		fmt.Println(err)
		return
	}
	ada, _ := g.Find("Ada")
	dora, _ := g.Find("Dora")
	descent := model.Objective{Model: model.Logistic{}}.Guarantees(1).Update(model.Descent{Step: 1, Clip: 1})
	walk := walkpath.Walk{Walk: schedule.Walk{Nodes: g.Len(), W: w.Sparse(), Start: walkpath.AnyStart, Turns: 100, Update: descent}}
	law, err := walk.Law(ada, dora)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: epsilon %.3f at delta 1e-6\n", law.Status, law.Epsilon(1e-6, 10))
	// Output:
	// sound: epsilon 2.114 at delta 1e-6
}
