package nodes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
	"github.com/hearsay-dp/hearsay/web"
)

const policyText = "delta: 1.0e-6\nepsilon: {neighbours: 4, others: 3, coalitions: [{size: 2, epsilon: 4}], deviators: .inf}\n"

// participant is the folder of lyon, one of five in a ring, after so many contributions, with
// what its federation says of it.
func participant(t *testing.T, contributions int) (dir string, f *federation.Federation, book *ledger.Ledger) {
	t.Helper()
	text := "name: five\nparticipants:\n"
	for i, name := range []string{"lyon", "nice", "paris", "brest", "lille"} {
		seed := sha256.Sum256([]byte(name))
		key, err := identity.Generate(bytes.NewReader(seed[:]))
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("  - {name: %s, key: %s, addresses: [/ip4/127.0.0.1/tcp/%d]}\n", name, key.Peer(), 4100+i)
	}
	text += "graph: ring:5\ndata: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}\nmodel: {kind: logistic}\n" +
		"algorithm: {kind: walk, steps: 30, step_size: 0.1, clip: 0.5, contributions: 10}\nprivacy: {sigma: 8, release: final}\n"
	s, err := experiment.Parse([]byte(text), "five")
	if err != nil {
		t.Fatal(err)
	}
	if f, err = federation.Open(t.Context(), s, "lyon"); err != nil {
		t.Fatal(err)
	}
	resolved, err := f.Spec.YAML()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	write(t, dir, "spec.yaml", resolved)
	note, err := json.Marshal(map[string]any{"participant": "lyon", "spec": fmt.Sprintf("%x", f.Hash), "joined": time.Unix(1000, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "joined.json", note)
	book, err = ledger.Create(filepath.Join(dir, federation.LedgerFile), ledger.Federation{Name: "five", Spec: f.Hash, Node: "lyon", ID: f.Self, Policy: []byte(policyText)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	for turn := range contributions {
		contribute(t, f, book, turn)
	}
	return dir, f, book
}

func contribute(t *testing.T, f *federation.Federation, book *ledger.Ledger, turn int) {
	t.Helper()
	release := step.Release{From: f.Self, To: 1, Turn: step.Turn(2 * turn), Contributed: true, Sensitivity: 1, NoiseStd: f.Noise.Nominal}
	if err := book.Commit(ledger.Entry{Time: time.Unix(int64(turn), 0), Releases: []ledger.Release{{Release: release, Body: ledger.Digest{byte(turn), 1}}}}); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// clock goes on by a minute each time it is asked, so that nothing has to be waited for.
func clock() func() time.Time {
	at := time.Unix(2000, 0)
	return func() time.Time {
		at = at.Add(time.Minute)
		return at
	}
}

func reader(t *testing.T, live func(string) (func() node.Status, bool)) *Reader {
	now := clock()
	mu := make(chan struct{}, 1)
	r := New(func() time.Time { mu <- struct{}{}; defer func() { <-mu }(); return now() }, live)
	t.Cleanup(r.Close)
	return r
}

// looked is what the reader says once it satisfies.
func looked(t *testing.T, r *Reader, dir string, enough func(*web.NodeView) bool) *web.NodeView {
	t.Helper()
	for {
		v, err := r.Look(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if enough(v) {
			return v
		}
		r.going.Wait() // what is done on the side
	}
}

// What is shown of a node are its statement's numbers, beside the policy that the ledger
// holds; also while the node has the ledger open, and with what it has released since.
func TestLookSaysWhatTheStatementSays(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir, f, book := participant(t, 3)
	r := reader(t, nil)
	v := looked(t, r, dir, func(v *web.NodeView) bool { return v.Statement != nil })
	plan, err := f.Plan(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Statement(plan, book, false)
	if err != nil {
		t.Fatal(err)
	}
	s := v.Statement
	if s.Contributed != 3 || s.Contributions != want.Contributions || len(s.Towards) != len(want.Spent)+len(want.Together)+1 || s.Status != "sound" {
		t.Fatalf("%+v, want %+v", s, want)
	}
	for i, spent := range want.Spent {
		got, limit := s.Towards[i], "4"
		if !want.Towards[i].Neighbour {
			limit = "3"
		}
		if got.Name != spent.Name || got.Spent != report.Bound(spent.Epsilon, report.Sound) || got.Allowed != report.Bound(spent.Allowed, report.Sound) || got.Limit != limit ||
			got.Over != (spent.Epsilon > map[string]float64{"3": 3, "4": 4}[limit]) {
			t.Errorf("towards %s: %+v, want %+v", spent.Name, got, spent)
		}
	}
	if !v.Ledger.Whole || v.Ledger.Entries != 3 || v.Running || v.Federation != "five" || !strings.Contains(v.Token, "turn 4 and went on to nice") {
		t.Errorf("%+v, %+v", v, v.Ledger)
	}
	contribute(t, f, book, 3)
	if v = looked(t, r, dir, func(v *web.NodeView) bool { return v.Statement != nil && v.Statement.Contributed != 3 }); v.Statement.Contributed != 4 {
		t.Errorf("after one more: %d contributions", v.Statement.Contributed)
	}
}

// A ledger that was changed is said not to be whole, and nothing is said to be spent by it.
func TestADamagedLedgerIsSaid(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir, _, book := participant(t, 3)
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, federation.LedgerFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(text); i++ { // all but the first page
		text[i] ^= 0x55
	}
	write(t, dir, federation.LedgerFile, text)
	v := looked(t, reader(t, nil), dir, func(v *web.NodeView) bool { return v.Ledger != nil })
	if v.Ledger.Whole || v.Statement != nil || len(v.Warnings) == 0 || !strings.Contains(v.Warnings[0], "not whole") {
		t.Errorf("%+v, %+v", v, v.Ledger)
	}
}

func TestAFolderThatIsNone(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	r := reader(t, nil)
	if _, err := r.Look(t.Context(), t.TempDir()); err == nil {
		t.Error("an empty folder is a participant's")
	}
	dir, _, _ := participant(t, 1)
	for name, change := range map[string]func() error{
		"another spec": func() error {
			return os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte("name: x\ngraph: ring:3\ndata: {source: csv, path: /etc/passwd}\n"), 0o600)
		},
		"no spec": func() error { return os.Remove(filepath.Join(dir, "spec.yaml")) },
		"a link": func() error {
			return errors.Join(os.Remove(filepath.Join(dir, "ledger.db")), os.Symlink("/etc/passwd", filepath.Join(dir, "ledger.db")))
		},
		"no ledger": func() error { return os.Remove(filepath.Join(dir, "ledger.db")) },
		"hostile join": func() error {
			return os.WriteFile(filepath.Join(dir, "joined.json"), []byte(`{"participant":7}`), 0o600)
		},
	} {
		_ = change()
		r := reader(t, nil)
		for range 3 {
			v, err := r.Look(t.Context(), dir)
			if err == nil && v.Statement != nil {
				t.Errorf("%s: %+v", name, v)
			}
			r.going.Wait()
		}
	}
}

// What a running node says of itself is shown: for whom it waits, and its neighbours.
func TestARunningNode(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	dir, f, _ := participant(t, 1)
	seen := time.Unix(1500, 0)
	status := node.Status{Name: "lyon", State: node.Running, Turn: 7, Turns: 30, Spec: fmt.Sprintf("%x", f.Hash), Uptime: 12,
		Neighbours: []node.NeighbourStatus{{Name: "nice", Connected: true, Agreed: true, LastSeen: &seen}, {Name: "lille", Waits: "connection refused"}, {Name: "metz", Waits: "not connected", Without: true}, {Name: "brest", Differs: []string{"privacy.sigma"}, Connected: true}},
		Counters:   node.Counters{Hops: 3, Refused: map[string]uint64{"stranger": 2}}}
	r := reader(t, func(at string) (func() node.Status, bool) { return func() node.Status { return status }, at == dir })
	v := looked(t, r, dir, func(v *web.NodeView) bool { return v.Statement != nil })
	if !v.Running || v.Turn != 7 || v.Turns != 30 || len(v.Peers) != 4 || v.Peers[0].State != "agrees" || v.Peers[2].State != "missing: not connected, and the run goes on without it" || len(v.Waits) != 1 || v.Waits[0] != "lille: connection refused" {
		t.Errorf("%+v", v)
	}
	if len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "another spec, in privacy.sigma") {
		t.Errorf("warnings %q", v.Warnings)
	}
	status.Spec = "another"
	if v := looked(t, r, dir, func(*web.NodeView) bool { return true }); v.Running || v.Silent == "" {
		t.Errorf("another node's status: %+v", v)
	}
}

// A folder cannot have this machine ask another one, nor by a redirection.
func TestOnlyThisMachineIsAsked(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	turned := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer turned.Close()
	dir, _, _ := participant(t, 1)
	r := reader(t, nil)
	for _, address := range []string{"192.0.2.1:80", "example.org:80", "127.0.0.1.example.org:80", "nothing", "", strings.TrimPrefix(turned.URL, "http://")} {
		write(t, dir, federation.EndpointFile, []byte(fmt.Sprintf(`{"address": %q}`, address)))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		v, err := r.Look(ctx, dir)
		cancel()
		if err != nil || v.Running || v.Silent == "" {
			t.Errorf("%s: %+v %v", address, v, err)
		}
	}
	if asked > 0 {
		t.Errorf("the node behind a redirection was asked %d times", asked)
	}
}

// The public is shown with a number where the run has ended, and with none before: no number is for a model of an earlier turn.
func TestThePublicIsShownBesideTheOthers(t *testing.T) {
	s := &federation.Statement{Plan: &federation.Plan{Status: "sound", Public: &federation.Public{Epsilon: 2}}}
	row := func() web.Towards { return shown(s, nil, time.Time{}).Towards[0] }
	if got := row(); got.Name != federation.ThePublic || got.Spent != "–" || got.Allowed != "≤ 2" {
		t.Errorf("before the end: %+v", got)
	}
	s.SpentPublic = &federation.Spent{Name: federation.ThePublic, Allowed: 2, Epsilon: 1, Deviating: 3}
	if got := row(); got.Name != federation.ThePublic || got.Spent != "≤ 1" || got.Deviating != "≤ 3" {
		t.Errorf("after it: %+v", got)
	}
	own, err := policy.Parse([]byte("delta: 1.0e-6\nepsilon: {neighbours: 4, others: 3, named: {paris: 2}, public: 0.5}\n"), "policy")
	if err != nil {
		t.Fatal(err)
	}
	s.Towards, s.Spent = []federation.Towards{{Name: "paris"}}, []federation.Spent{{Name: "paris", Epsilon: 2.5}}
	rows := shown(s, own, time.Time{}).Towards
	if paris, public := rows[0], rows[1]; paris.Limit != "2" || !paris.Over || public.Limit != "0.5" || !public.Over {
		t.Errorf("limits of the policy: %+v", rows)
	}
}
