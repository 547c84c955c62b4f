package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/spec"
)

// targeted is a spec of an algorithm on a path of five named nodes and a chord.
func targeted(algorithm, model, accountant, calibrate string) string {
	return fmt.Sprintf(`
data: {source: %s}
graph: friends.edges
model: {kind: %s}
algorithm: {%s, clip: 0.5}
privacy: {%s, accountant: %s}
`, map[bool]string{true: "mean", false: "two-gaussians, rows: 20, features: 3, normalise: unit"}[model == "mean"], model, algorithm, calibrate, accountant)
}

const friends = "ann bob\nbob cy\ncy dee\ndee eve\nbob dee\n"

// fileOf is a new file with a text.
func fileOf(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openedFriends prices a spec whose graph is that of friends.
func openedFriends(t *testing.T, text string) (*Priced, error) {
	t.Helper()
	s := specOf(t, strings.Replace(text, "friends.edges", fileOf(t, "friends.edges", friends), 1))
	return Prepare(t.Context(), s, nil)
}

// Whatever is asked for, mean, maximum, beyond neighbours, one pair or limits by
// observer, every accountant meets it with its sigma and misses it with a little less.
func TestCalibratedOnWhatIsAskedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	walk := "kind: walk, steps: 8, contributions: 2, step_size: 0.3"
	for _, run := range [][3]string{
		{"kind: gossip-gd, steps: 6, step_size: 0.3", "logistic", "flow"}, {"kind: gossip-gd, steps: 6, step_size: 0.3", "logistic", "published"},
		{"kind: gossip, steps: 4", "mean", "exact"}, {walk, "logistic", "path"}, {walk, "logistic", "published"}, {walk, "logistic", "local"},
	} {
		for _, target := range []string{
			"max_beyond_neighbours: 0.5", "pair: {about: ann, observer: eve, eps: 0.5}", "pair: {about: 0, observer: 1, eps: 2}",
			"observers: {neighbours: 4, others: 0.5}", "observers: {others: 1, named: {cy: 0.25, eve: 3}}",
		} {
			given, err := openedFriends(t, targeted(run[0], run[1], run[2], "calibrate: {"+target+"}"))
			if err != nil {
				t.Errorf("%s, %s: %v", run[2], target, err)
				continue
			}
			if over := excess(given); over > 1+1e-9 {
				t.Errorf("%s by %s: %g times what is asked for", target, run[2], over)
			}
			if given.Accounting.Sigma < 1e-5 { // a formula in print sees nothing of these pairs
				continue
			}
			less, err := openedFriends(t, targeted(run[0], run[1], run[2], fmt.Sprintf("sigma: %.17g", given.Accounting.Sigma*(1-1e-4))))
			if err != nil {
				t.Fatal(err)
			}
			less.Spec.Privacy.Calibrate = given.Spec.Privacy.Calibrate
			if over := excess(less); over <= 1 {
				t.Errorf("%s by %s: sigma %g is not the least", target, run[2], given.Accounting.Sigma)
			}
		}
	}
}

// excess is the largest loss over its limit, by the first account.
func excess(s *Priced) (worst float64) {
	names, at, c := []string{"ann", "bob", "cy", "dee", "eve"}, s.Accounting.Accounts[0].At, s.Spec.Privacy.Calibrate
	joined := map[string]bool{"01": true, "12": true, "23": true, "34": true, "13": true}
	for u := range 5 {
		for v := range 5 {
			near := joined[fmt.Sprint(min(u, v))+fmt.Sprint(max(u, v))]
			check := func(limit float64, concerns bool) {
				if concerns && limit > 0 && u != v {
					worst = max(worst, at(u, v)/limit)
				}
			}
			check(c.Beyond, !near)
			if p := c.Pair; p != nil {
				called := func(n spec.NodeName, k int) bool { return string(n) == names[k] || string(n) == fmt.Sprint(k) }
				check(p.Eps, called(p.About, u) && called(p.Observer, v))
			}
			if o := c.Observers; o != nil {
				check(o.Neighbours, near)
				check(o.Others, !near)
				check(o.Named[names[v]], true)
			}
		}
	}
	return worst
}

// What cannot be asked for is refused, with the place.
func TestTargetsThatMakeNoSense(t *testing.T) {
	for target, says := range map[string]string{
		"pair: {about: ann, observer: zoe, eps: 1}":  `pair.observer: there is no node "zoe"`,
		"pair: {about: ann, observer: ann, eps: 1}":  "observes itself",
		"pair: {about: ann, eps: 1}":                 "needs about, observer and eps",
		"pair: {about: ann, observer: bob, eps: -1}": "pair.eps",
		"observers: {}":                           "gives no limit",
		"observers: {named: {zoe: 1}}":            `observers.named: there is no node "zoe"`,
		"observers: {named: {ann: 0}, others: 1}": "named.ann: 0 is no loss",
		"mean: 1, observers: {others: 1}":         "needs one of",
		"observers: {strangers: 1}":               "strangers",
	} {
		text := strings.Replace(targeted("kind: gossip-gd, steps: 6, step_size: 0.3", "logistic", "flow", "calibrate: {"+target+"}"),
			"friends.edges", fileOf(t, "friends.edges", friends), 1)
		s, err := Parse([]byte(text), "test.yaml")
		if err == nil {
			_, err = Prepare(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), says) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// A resolved spec is read as it was.
func TestTargetsSurviveTheResolvedSpec(t *testing.T) {
	for _, target := range []string{"pair: {about: ann, observer: 3, eps: 0.5}", "observers: {neighbours: 4, others: 0.5, named: {cy: 0.25}}"} {
		first := specOf(t, targeted("kind: gossip-gd, steps: 6, step_size: 0.3", "logistic", "flow", "calibrate: {"+target+"}"))
		text, err := first.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again := specOf(t, string(text))
		if got, want := again.Privacy.Calibrate.String(), first.Privacy.Calibrate.String(); got != want {
			t.Errorf("%s is read back as %s", want, got)
		}
	}
}
