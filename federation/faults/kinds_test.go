package faults

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/node"
)

// Parts of specs of kinds.
const (
	valued   = "data: {source: csv, normalise: none, ranges: {age: [18, 90], pressure: [80, 200]}}\nmodel: {kind: mean}\n"
	labelled = "data: {source: csv, target: state, classes: [healthy, ill], ranges: {age: [18, 90], pressure: [80, 200]}}\nmodel: {kind: %s}\n"
	showing  = "privacy: {sigma: 3, accountant: local, release: final}\n"
	random   = "privacy: {sigma: 0.3, accountant: local, release: final}\n"
)

// kinds is a small run of every kind that runs as nodes, apart from walk and gossip, which
// tests in this package are about anyway: what its spec says below the participants.
var kinds = map[string]string{
	"proximal-walk": fmt.Sprintf(labelled, "hinge") + "algorithm: {kind: proximal-walk, steps: 45, step_size: 0.1, clip: 0.1, contributions: 45}\n" + showing,
	"weighted-walk": fmt.Sprintf(labelled, "logistic, intercept: false") + "algorithm: {kind: weighted-walk, steps: 45, step_size: 0.1, clip: 0.1, contributions: 45, " +
		"constants: {mechanism: laplace, least: 0.1, most: 0.6, epsilon: 1}}\n" + showing,
	"complete-sgd": fmt.Sprintf(labelled, "logistic, intercept: false") +
		"algorithm: {kind: complete-sgd, steps: 45, step_size: 0.1, clip: 0.1, contributions: 30, edge_cap: 10, radius: 5}\n" + showing,
	"admm-walk": fmt.Sprintf(labelled, "hinge") + "algorithm: {kind: admm-walk, steps: 45, gamma: 1, clip: 0.1, contributions: 20, skip: 0.2}\n" + showing,
	"admm-federated": fmt.Sprintf(labelled, "logistic, intercept: false") +
		"algorithm: {kind: admm-federated, steps: 20, clip: 0.1, sampled: 2, server: 1}\nprivacy: {sigma: 3}\n",
	"averaging-walk":     valued + "algorithm: {kind: averaging-walk, steps: 45, burn_in: 3, clip: 2, contributions: 45}\n" + showing,
	"ring-sum":           valued + "algorithm: {kind: ring-sum, rounds: 15, spread: true, clip: 2}\nprivacy: {sigma: 3, release: final}\n",
	"ring-histogram":     fmt.Sprintf(labelled, "histogram") + "algorithm: {kind: ring-histogram, rounds: 15}\nprivacy: {sigma: 0.3, release: final}\n",
	"complete-sum":       valued + "algorithm: {kind: complete-sum, steps: 45, clip: 2, contributions: 45}\n" + showing,
	"complete-histogram": fmt.Sprintf(labelled, "histogram") + "algorithm: {kind: complete-histogram, steps: 45, contributions: 45}\n" + random,
	"gossip-gd":          fmt.Sprintf(labelled, "logistic, intercept: false") + "algorithm: {kind: gossip-gd, steps: 15, step_size: 0.1, clip: 0.1, momentum: 0.5, memory: banded:4}\nprivacy: {sigma: 3, accountant: local}\n",
	"gossip-sgd": fmt.Sprintf(labelled, "logistic, intercept: false") +
		"algorithm: {kind: gossip-sgd, steps: 15, step_size: 0.1, clip: 0.1, clip_each: mean, gossip_steps: 2, noise: turn, average: half}\nprivacy: {sigma: 3, accountant: local}\n",
}

// Every kind that participants can run has a run in the table, but for walk and gossip, and a federation refuses all others.
func TestEveryKindIsKilled(t *testing.T) {
	t.Parallel()
	for _, kind := range experiment.Kinds() {
		listed := kinds[kind.Name] != "" || kind.Name == "walk" || kind.Name == "gossip"
		if real := kind.Simulated == ""; listed != real {
			t.Errorf("a run of kind %s is killed: %v, and participants can run it: %v", kind.Name, listed, real)
		}
		if _, err := experiment.Load("../../examples/hospitals/spec.yaml", "algorithm={kind: "+kind.Name+", steps: 9}"); kind.Simulated != "" &&
			(err == nil || !strings.Contains(err.Error(), "algorithm.kind: "+kind.Name+" "+kind.Simulated)) {
			t.Errorf("a federation of kind %s: %v", kind.Name, err)
		}
	}
}

// ofKind is the script of a run of a kind.
func ofKind(kind string) script {
	return script{nodes: 3, graph: "complete:3", what: kinds[kind], apart: strings.HasPrefix(kind, "gossip"), shows: kind == "weighted-walk",
		sums: kind == "admm-federated"}
}

// Nodes of every kind are killed where something is half done and started again; the run
// ends as if nothing had happened: no turn is missing and none is taken twice, what was
// received is in its sender's ledger, nobody gives more than it may, and all end with the
// same model.
func TestNodesOfEveryKindAreKilled(t *testing.T) {
	notShort(t)
	t.Parallel()
	places := []string{node.FailBeforeCommit, node.FailAfterCommit, node.FailAfterSend}
	for k, kind := range sorted(kinds) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ofKind(kind))
			w.diesAll(func(i int) []string {
				at := []string{fmt.Sprintf("%s:%d", places[(i+k)%3], 2+i)}
				if i == k%3 {
					at = append(at, node.FailCheckpoint+":1")
				}
				return at
			})
			w.check()
		})
	}
}

// The same at every failpoint and at several counts.
func TestNodesOfEveryKindAreKilledEverywhere(t *testing.T) {
	onlyHeavy(t)
	t.Parallel()
	for _, kind := range sorted(kinds) {
		for _, place := range node.Failpoints() {
			for _, count := range []int{1, 2, 5} {
				if count > 1 && (place == node.FailStart || place == node.FailCheckpoint) {
					continue // a process comes by once
				}
				t.Run(fmt.Sprintf("%s/%s:%d", kind, place, count), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, ofKind(kind))
					at := fmt.Sprintf("%s:%d", place, count)
					w.diesAll(func(int) []string { return []string{at, at} })
					w.check()
				})
			}
		}
	}
}

func sorted(m map[string]string) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// show has participants draw their constants, which are kept when they are asked again, and
// writes the spec that says them.
func (w *world) show(list []string) {
	w.t.Helper()
	said := slices.Clone(list)
	for i, name := range w.names {
		first, again := w.constant(i), w.constant(i)
		if first != again {
			w.t.Errorf("%s showed %s, then %s", name, first, again)
		}
		said[i] += ", constant: " + first
	}
	w.write(w.spec, w.text(said))
}

// constant is what a participant shows.
func (w *world) constant(i int) string {
	w.t.Helper()
	text, err := exec.Command(program, "constant", w.spec, "--name", w.names[i], "--data", w.file(i, ".csv"), "--dir", w.folder(i)).Output()
	if err != nil {
		w.t.Fatalf("constant of %s: %v", w.names[i], err)
	}
	return strings.TrimSpace(string(text))
}
