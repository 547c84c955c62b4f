package federation

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/node/policy"
)

// Two who keep to the protocol and pool what they saw are priced by the path: more
// than either alone, less than all contributions seen as they are. The plan names the
// worst two, says what they learn if they deviate, and holds the same number
// against a policy, at the noise that it advises too.
func TestCoalitionsArePricedByThePath(t *testing.T) {
	if testing.Short() {
		t.Skip("prices plans one after the other: run without the race detector")
	}
	f := open(t, ring(t, five, terms), "lyon")
	p, err := f.Plan(context.Background(), 3, 2, 9)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Coalitions) != 2 || p.Coalitions[0].Size != 2 || p.Coalitions[1].Size != 3 || len(p.Coalitions[0].Worst) != 2 {
		t.Fatalf("coalitions %+v", p.Coalitions)
	}
	two, three := p.Coalitions[0], p.Coalitions[1]
	if !(two.Epsilon <= three.Epsilon && three.Epsilon < p.Local && two.Deviating == p.Local) {
		t.Errorf("two %g, three %g, local %g", two.Epsilon, three.Epsilon, p.Local)
	}
	for _, to := range p.Towards {
		if to.Epsilon > two.Epsilon*(1+1e-6) {
			t.Errorf("%s alone %g, the worst two %g", to.Name, to.Epsilon, two.Epsilon)
		}
	}
	var text bytes.Buffer
	if err := p.Print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"any 2 together, honest but curious (worst: " + strings.Join(two.Worst, ", "), digits(two.Epsilon), allTogether} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	own := func(size int, limit float64) []policy.Objection {
		read, err := policy.Parse(fmt.Appendf(nil, "delta: 1e-3\nepsilon: {neighbours: .inf, others: .inf, coalitions: [{size: %d, epsilon: %g}]}\n", size,
			limit), "p")
		if err != nil {
			t.Fatal(err)
		}
		return p.Objections(read)
	}
	if all := own(2, two.Epsilon*1.001); len(all) != 0 {
		t.Errorf("objections %v", all)
	}
	if all := own(2, two.Epsilon*0.8); len(all) != 1 || all[0].Key != "epsilon.coalitions" || !strings.Contains(all[0].Fits, "sigma") {
		t.Errorf("objections %v", all)
	}
	if all := own(4, two.Epsilon); len(all) != 1 { // of a size that was not priced: local
		t.Errorf("objections %v", all)
	}
}

// Where only the local loss is a bound, coalitions are charged it.
func TestCoalitionsOfOtherRunsAreLocal(t *testing.T) {
	for name, text := range map[string]string{
		"gossip": strings.Replace(strings.Replace(terms, "kind: walk, steps: 50, step_size: 0.1, clip: 0.5, contributions: 20",
			"kind: gossip-gd, gossip_steps: 2, steps: 3, step_size: 0.1, clip: 0.5, contributions: 3", 1), "release: final", "release: none", 1),
		"local": strings.Replace(terms, "release: final", "accountant: local, release: final", 1),
	} {
		p := plan(t, open(t, ring(t, five, text), "nice"))
		if len(p.Coalitions) != 1 || p.Coalitions[0].Epsilon != p.Local || p.Coalitions[0].Worst != nil {
			t.Errorf("%s: %+v, local %g", name, p.Coalitions, p.Local)
		}
	}
}
