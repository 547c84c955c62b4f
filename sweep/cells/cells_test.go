package cells

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/sweep"
)

// shelf keeps data in memory, and counts what is sent and fetched.
type shelf struct {
	data          map[queue.Hash][]byte
	sent, fetched int
}

func newShelf() *shelf { return &shelf{data: map[queue.Hash][]byte{}} }

func (s *shelf) Put(_ context.Context, data []byte) (queue.Hash, error) {
	h := queue.HashOf(data)
	if s.data[h] == nil {
		s.sent++
	}
	s.data[h] = bytes.Clone(data)
	return h, nil
}

func (s *shelf) PutFile(ctx context.Context, path string) (queue.Hash, int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", 0, err
	}
	h, err := s.Put(ctx, text)
	return h, int64(len(text)), err
}

func (s *shelf) Get(_ context.Context, h queue.Hash, most int64) ([]byte, error) {
	if data, found := s.data[h]; found && int64(len(data)) <= most {
		s.fetched++
		return data, nil
	}
	return nil, errors.New("not found")
}

func (s *shelf) GetFile(ctx context.Context, h queue.Hash, most int64, path string) error {
	text, err := s.Get(ctx, h, most)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

const cellSpec = `
data: {source: csv, path: "rows \"here\".csv", target: y, normalise: unit}
graph: net.txt
model: {kind: logistic}
algorithm: {kind: walk, steps: 8, step_size: 0.2, clip: 0.3, contributions: 3}
privacy: {sigma: 2}
`

func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Cells that ran elsewhere say what they say at home, data are sent and fetched once, and a file that was not there is an error.
func TestCellsAreAtHomeElsewhere(t *testing.T) {
	home := t.TempDir()
	rows := "x,y\n" + strings.Repeat("1,yes\n2,no\n0.5,yes\n3,no\n", 6)
	write(t, home, map[string]string{"spec.yaml": cellSpec, `rows "here".csv`: rows, "net.txt": "a b\nb c\nc a\n", "same.txt": "a b\nb c\nc a\n"})
	s, path := newShelf(), filepath.Join(home, "spec.yaml")
	settings := [][]string{{"privacy.sigma=3"}, {"graph=same.txt"}, {"graph=none.txt"}, {"graph=ring:3", "privacy.sigma=4"}}
	jobs, err := Send(t.Context(), s, path, []string{"trials=2"}, settings)
	if err != nil || len(jobs) != 4 || s.sent != 3 { // rows, a graph, the recipe
		t.Fatalf("%d jobs, %d things sent: %v", len(jobs), s.sent, err)
	}
	runner := &Runner{Folder: t.TempDir()}
	for i, j := range jobs {
		got, err := runner.Run(t.Context(), s, *j)
		if i == 2 {
			if err == nil || !strings.Contains(err.Error(), "none.txt was not there") {
				t.Errorf("a graph that is not there: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(got, []byte(runner.Folder)) || !bytes.Contains(got, []byte(filepath.Base(home))) {
			t.Errorf("cell %d says where it ran: %s", i, got)
		}
	}
	if s.fetched != 4 { // one graph is under two names
		t.Errorf("%d things fetched", s.fetched)
	}
}

// A file that a key of the kind names is sent as graphs are.
func TestSecretsAreSent(t *testing.T) {
	home := t.TempDir()
	spec := "data: {source: two-gaussians, rows: 20, features: 2, normalise: unit}\ngraph: line:3\n" +
		"algorithm: {kind: gossip-gd, steps: 1, pairwise: 10, secrets: s.edges, step_size: 0.5, clip: 0.3}\nprivacy: {sigma: 3}\n"
	write(t, home, map[string]string{"spec.yaml": spec, "s.edges": "0 2\n"})
	s := newShelf()
	jobs, err := Send(t.Context(), s, filepath.Join(home, "spec.yaml"), nil, [][]string{{}, {"algorithm.secrets=other.edges"}})
	if err != nil || s.sent != 2 { // a graph and the recipe
		t.Fatalf("%d things sent: %v", s.sent, err)
	}
	runner := &Runner{Folder: t.TempDir()}
	got, err := runner.Run(t.Context(), s, *jobs[0])
	if err != nil || bytes.Contains(got, []byte(runner.Folder)) || !bytes.Contains(got, []byte(filepath.Join(home, "s.edges"))) {
		t.Errorf("%v: %.300s", err, got)
	}
	if _, err := runner.Run(t.Context(), s, *jobs[1]); err == nil || !strings.Contains(err.Error(), "other.edges was not there") {
		t.Errorf("a graph that was not sent: %v", err)
	}
}

// A matrix of weights is sent as graphs are, and a worker takes none that lies in its own folder.
func TestWeightsAreSent(t *testing.T) {
	home := t.TempDir()
	rows := "x,y\n" + strings.Repeat("1,yes\n2,no\n0.5,yes\n3,no\n", 6)
	write(t, home, map[string]string{"spec.yaml": cellSpec, `rows "here".csv`: rows, "net.txt": "a b\nb c\nc a\n",
		"w.csv": "0.5,0.3,0.2\n0.2,0.5,0.3\n0.3,0.2,0.5\n"})
	s := newShelf()
	jobs, err := Send(t.Context(), s, filepath.Join(home, "spec.yaml"), nil, [][]string{{"weights=w.csv"}, {"weights=v.csv"}})
	if err != nil || s.sent != 4 { // rows, a graph, a matrix, the recipe
		t.Fatalf("%d things sent: %v", s.sent, err)
	}
	runner := &Runner{Folder: t.TempDir()}
	got, err := runner.Run(t.Context(), s, *jobs[0])
	if err != nil || bytes.Contains(got, []byte(runner.Folder)) || !bytes.Contains(got, []byte(`"weights":"w.csv"`)) {
		t.Errorf("%v: %.300s", err, got)
	}
	t.Chdir(home)
	write(t, home, map[string]string{"v.csv": "0.5,0.3,0.2\n0.2,0.5,0.3\n0.3,0.2,0.5\n"})
	if _, err := runner.Run(t.Context(), s, *jobs[1]); err == nil || !strings.Contains(err.Error(), "v.csv was not there") {
		t.Errorf("a matrix that was not sent: %v", err)
	}
}

// A recipe leads nowhere but into the worker's folder, and a spec reads nothing that was not sent.
func TestHostileRecipesAreRefused(t *testing.T) {
	s := newShelf()
	h, err := s.Put(t.Context(), []byte("a b\nb a\n"))
	if err != nil {
		t.Fatal(err)
	}
	runner := &Runner{Folder: filepath.Join(t.TempDir(), "work")}
	if err := os.Mkdir(runner.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../x", "/etc/x", "a/../../x", "", ".", "..", "a/./b", "a//b", "a/", `..\x`, "a\x00b", strings.Repeat("a", 2000)} {
		job := recipeJob(t, s, recipe{Spec: cellSpec, Roots: []root{{Path: "/r", Files: []file{{name, h, 8}}}}})
		if _, err := runner.Run(t.Context(), s, job); err == nil || !strings.Contains(err.Error(), "a recipe with") {
			t.Errorf("a file %.40q: %v", name, err)
		}
	}
	for _, f := range []file{{"a", "../../etc/passwd", 8}, {"a", h, -1}, {"a", h, mostBytes + 1}, {"a", h, 3}} {
		if _, err := runner.Run(t.Context(), s, recipeJob(t, s, recipe{Spec: cellSpec, Roots: []root{{Path: "/r", Files: []file{f}}}})); err == nil {
			t.Errorf("%v is taken", f)
		}
	}
	for _, path := range []string{"/etc/passwd", "../../../../etc/passwd"} {
		text := strings.ReplaceAll(strings.Replace(cellSpec, `"rows \"here\".csv"`, path, 1), "net.txt", "ring:4")
		if _, err := runner.Run(t.Context(), s, recipeJob(t, s, recipe{Dir: "/", Spec: text})); err == nil || !strings.Contains(err.Error(), "was not there") {
			t.Errorf("%s is read: %v", path, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(runner.Folder)); err != nil || len(entries) != 1 {
		t.Errorf("%v beside the folder, %v", entries, err)
	}
}

func recipeJob(t *testing.T, s *shelf, r recipe) queue.Job {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Put(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return queue.Job{Kind: Kind, Setup: h, Body: []byte("[]")}
}

// Whatever a recipe says, its files lie in the folder.
func FuzzRecipe(f *testing.F) {
	f.Add("data/rows.csv")
	f.Add("../x")
	f.Fuzz(func(t *testing.T, name string) {
		one := file{name, queue.HashOf(nil), 0}
		if one.check() != nil {
			return
		}
		path := filepath.Join("/folder", filepath.FromSlash(name))
		if !strings.HasPrefix(path, "/folder/") || filepath.Join("/folder", one.top()) == "/folder" {
			t.Errorf("%q leads to %s", name, path)
		}
	})
}

// What a worker sends instead of a result is refused.
func TestResultsOfHostileWorkers(t *testing.T) {
	for _, text := range []string{"", "null", "{}", "[]", `{"privacy":{"status":"sound","accountant":"\u001b[2J","mean":1}}`, `{"privacy":{"status":"proved","mean":1},"trials":[{}]}`,
		`{"privacy":{"status":"sound","mean":-1},"trials":[{}]}`,
		`{"privacy":{"status":"sound","mean":1,"max":1},"trials":[{}],"final":{"test_accuracy":7}}`,
		`{"privacy":{"status":"sound","mean":1,"max":1},"trials":[{"final":{"test_accuracy":-1e308}}],"final":{"test_accuracy":1}}`,
		`{"privacy":{"status":"sound","mean":1,"max":1},"trials":[{"final":{"test_loss":1e308}},{"final":{"test_loss":-1e308}}]}`,
		`{"privacy":{"status":"sound","mean":1,"max":1},"trials":[{}],"wall_seconds":-1}`, `{"privacy":{"status":"sound","mean":1,"max":1},"trials":[]}`, `{"privacy":{"status":"sound","mean":"x"}}`} {
		s := sweep.Sweep{Fields: []sweep.Field{{Key: "seed", Values: []string{"1"}}}, Folder: t.TempDir(), Key: func([]string) string { return "" },
			Away: func(_ context.Context, _ [][]string, accept func(int, string, []byte) error, failed func(int, error)) error {
				err := Accept(accept)(0, "w", []byte(text))
				failed(0, errors.New("refused"))
				if err == nil {
					t.Errorf("%s is taken for a result", text)
				}
				return nil
			}}
		if rows, err := s.Rows(t.Context(), func(sweep.Row, bool) {}); err != nil || rows[0].Error == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}
