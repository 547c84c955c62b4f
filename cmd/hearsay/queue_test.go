//go:build !race

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/sweeps"
	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/queue/server"
	"github.com/hearsay-dp/hearsay/report"
)

// queueSpec learns from an own table on an own graph, whose names are none that a shell or JSON leaves alone.
const queueSpec = `
data: {source: csv, path: "our <data> é/rows.csv", target: ill, categories: {sex: [f, m]}, normalise: unit}
graph: 'our "net".txt'
model: {kind: logistic}
algorithm: {kind: walk, steps: 20, step_size: 0.2, clip: 0.3, contributions: 4}
privacy: {sigma: 2}
`

// writeQueueSpec puts the spec and its files into a new folder.
func writeQueueSpec(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	var rows, edges strings.Builder
	rows.WriteString("age,sex,ill\n")
	for i := range 120 {
		fmt.Fprintf(&rows, "%d,%s,%s\n", 20+i*37%60, []string{"f", "m"}[i%2], []string{"no", "yes"}[i*37%60/30])
	}
	for i := range 5 {
		fmt.Fprintf(&edges, "node%d node%d\n", i, (i+1)%5)
		if i > 1 {
			fmt.Fprintf(&edges, "node0 node%d\n", i)
		}
	}
	for name, text := range map[string]string{"spec.yaml": queueSpec, "our <data> é/rows.csv": rows.String(), `our "net".txt`: edges.String()} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// hearsayIn is the program, about to run in a folder and a group of processes of its own.
func hearsayIn(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0], cmd.Dir = "hearsay", folder
	ownGroup(cmd)
	return cmd
}

// threeServers are a cluster, each with a folder of its own.
func threeServers(t *testing.T) (list []*server.Server) {
	t.Helper()
	ports, err := loopback.Hold(3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ports.Close() })
	var routes []string
	for _, p := range ports {
		routes = append(routes, fmt.Sprintf("nats://route:secret@127.0.0.1:%d", p.Number))
	}
	for k, p := range ports {
		s, err := server.Start(server.Options{Folder: t.TempDir(), Cluster: &server.Cluster{Name: fmt.Sprint("server", k), Port: p.Number, Others: routes, Secret: "secret"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		list = append(list, s)
	}
	return list
}

// Of three servers and four workers one of each is killed in the middle. Every cell is there, and has the bits that it has
// at home.
func TestASweepOutlivesServersAndWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: many processes")
	}
	folder, servers := writeQueueSpec(t), threeServers(t)
	sweep := []string{"sweep", "spec.yaml", "--vary", "privacy.sigma=[1, 2]", "--vary", `graph=['our "net".txt', ring:5, star:1]`, "--vary", "algorithm.kind=[walk, local]", "--json"}
	home := hearsayIn(t, folder, append(sweep, "--out", "home", "--workers", "1")...)
	want, err := home.Output()
	if exitCode(err) != form.ExitFault { // star:1 is no graph to walk on
		t.Fatalf("at home: %v", err)
	}
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.URL)
	}
	at := []string{"--nats", strings.Join(urls, ","), "--nats-secret"}
	var crew []*exec.Cmd
	for range 4 {
		w := hearsayIn(t, folder, append(append([]string{"worker", "--workers", "1"}, at...), servers[0].Secret)...)
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { killGroup(w); _ = w.Wait() })
		crew = append(crew, w)
	}
	away := hearsayIn(t, folder, append(append(append(sweep, "--out", "away", "--price", "--workers", "0", "--lease", "3s"), at...), servers[0].Coordinator)...)
	var got bytes.Buffer
	kill := sync.OnceFunc(func() { killGroup(crew[0]); servers[1].Close() })
	said := &watcher{pattern: regexp.MustCompile(`(?m)^3 of 12 `), matched: kill}
	away.Stdout, away.Stderr = &got, said
	t.Cleanup(func() { killGroup(away) })
	if err := away.Run(); exitCode(err) != form.ExitFault {
		t.Fatalf("away: %v\n%s", err, said.seen.String())
	}
	if a, b := settled(t, want), settled(t, got.Bytes()); !reflect.DeepEqual(a, b) {
		t.Errorf("other rows\n%v\n%v", a, b)
	}
	sameCells(t, filepath.Join(folder, "home", "cells"), filepath.Join(folder, "away", "cells"))
}

// settled are rows without the time that they took.
func settled(t *testing.T, text []byte) (rows []map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		delete(r, "seconds")
	}
	return rows
}

// sameCells wants the same results, bit for bit, but for times.
func sameCells(t *testing.T, a, b string) {
	t.Helper()
	names, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadDir(b)
	if err != nil || len(others) != len(names) || len(names) != 10 {
		t.Fatalf("%d cells and %d: %v", len(names), len(others), err)
	}
	times := regexp.MustCompile(`"(wall_seconds|steps_per_second)":[^,]*,`)
	for _, name := range names {
		var texts [2]string
		for i, folder := range []string{a, b} {
			text, err := os.ReadFile(filepath.Join(folder, name.Name()))
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = times.ReplaceAllString(string(text), "")
		}
		if texts[0] != texts[1] {
			t.Errorf("%s differs:\n%s\n%s", name.Name(), texts[0], texts[1])
		}
	}
}

// killedMidway kills a sweep of six cells after the second, and reports whether some were left to do.
func killedMidway(t *testing.T, folder, passing string, sweep []string) bool {
	t.Helper()
	cmd := hearsayIn(t, folder, sweep...)
	defer killGroup(cmd)
	cmd.Env = append(os.Environ(), "TMPDIR="+passing)
	cmd.Stderr = &watcher{pattern: regexp.MustCompile(`(?m)^2 of 6 `), matched: func() { _ = cmd.Process.Kill() }}
	err := cmd.Run()
	cells, _ := os.ReadDir(filepath.Join(folder, "out", "cells")) // none there: none done
	return err != nil && len(cells) < 6
}

// A sweep keeps a queue of its own, and goes on after it was killed.
func TestASweepKeepsItsOwnQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: many processes")
	}
	folder := writeQueueSpec(t)
	sweep := []string{"sweep", "spec.yaml", "--set", "algorithm.kind=local", "--vary", "privacy.sigma=[1, 2, 3, 4, 5, 6]", "--out", "out", "--queue", "--workers", "2"}
	passing := t.TempDir()
	for !killedMidway(t, folder, passing, sweep) { // a slow machine may come too late
		if err := os.RemoveAll(filepath.Join(folder, "out")); err != nil {
			t.Fatal(err)
		}
	}
	for wait := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // its workers end by themselves, and leave no data behind
		left, err := filepath.Glob(filepath.Join(passing, "hearsay-worker-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(wait) {
			t.Fatalf("data were left in %s", left)
		}
	}
	second := hearsayIn(t, folder, sweep...)
	text, err := second.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if n := strings.Count(string(text), "(sound if: as a worker says)"); n != 6 {
		t.Errorf("%d cells are said to be what a worker says:\n%s", n, text)
	}
	for name, want := range map[string]string{"sweep.csv": "as a worker says\",sound if", "index.html": "as a worker says"} {
		shown, err := os.ReadFile(filepath.Join(folder, "out", name))
		if err != nil || !strings.Contains(string(shown), want) || strings.Contains(string(shown), ",sound,") {
			t.Errorf("%v, %s: %s", err, name, shown)
		}
	}
	priced := hearsayIn(t, folder, append(sweep, "--price")...)
	if text, err := priced.CombinedOutput(); err != nil || strings.Contains(string(text), "as a worker says") || strings.Count(string(text), "(sound), from an earlier run") != 6 {
		t.Errorf("with --price: %v\n%s", err, text)
	}
	if n := strings.Count(string(text), "from an earlier run"); n < 1 || n > 5 {
		t.Errorf("%d cells from an earlier run:\n%s", n, text)
	}
	table, err := os.Open(filepath.Join(folder, "out", "sweep.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if rows, err := csv.NewReader(table).ReadAll(); err != nil || len(rows) != 7 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
	if _, err := os.Stat(filepath.Join(folder, "out", "queue")); !os.IsNotExist(err) {
		t.Errorf("the queue is still there: %v", err)
	}
}

// All pairs that processes price have the losses that they have here.
func TestAPlanByAQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: many processes")
	}
	folder := writeQueueSpec(t)
	plan := []string{"plan", "spec.yaml", "--json", "--set", "graph=er:n=40,p=0.15,connected", "--set", "algorithm.steps=200"}
	here, err := hearsayIn(t, folder, plan...).Output()
	if err != nil {
		t.Fatal(err)
	}
	away := hearsayIn(t, folder, append(plan, "--queue", "--workers", "2")...)
	var stderr bytes.Buffer
	away.Stderr = &stderr
	text, err := away.Output()
	var at, there struct{ Privacy report.Privacy }
	if err != nil || json.Unmarshal(here, &at) != nil || json.Unmarshal(text, &there) != nil {
		t.Fatalf("%v\n%s\n%s\n%s", err, here, text, stderr.String())
	}
	if a, b := at.Privacy, there.Privacy; a.Mean != b.Mean || a.Max != b.Max || a.Sigma != b.Sigma || a.Status != report.Sound || b.Status != report.SoundIf ||
		!strings.Contains(strings.Join(b.Assumptions, "\n"), "the workers that priced pairs") {
		t.Errorf("%+v\n%+v", a, b)
	}
	if stderr := stderr.String(); !strings.Contains(stderr, "from the worker that calls itself") {
		t.Error(stderr)
	}
	// What workers said is kept, and is not taken for what was found here.
	cache := append([]string{"--cache", filepath.Join(folder, "cache")}, plan[2:]...)
	for _, again := range []struct {
		more   []string
		status report.Status
	}{{[]string{"--queue", "--workers", "2"}, report.SoundIf}, {[]string{"--queue", "--workers", "0"}, report.SoundIf}, {nil, report.Sound}} {
		text, err := hearsayIn(t, folder, append(append(append([]string{}, plan[:2]...), cache...), again.more...)...).Output()
		if err != nil || json.Unmarshal(text, &there) != nil || there.Privacy.Status != again.status {
			t.Errorf("%v: %v, %s", again.more, err, there.Privacy.Status)
		}
	}
	if !strings.Contains(stderr.String(), "3 blocks of pairs are given out") {
		t.Error(stderr.String())
	}
}

// Of what a silent worker says, the end is kept.
func TestLastWordsAreTheEndOfWhatWasSaid(t *testing.T) {
	said := &sweeps.LastWords{}
	for range 3 * sweeps.MostWords {
		fmt.Fprint(said, "a line\n")
	}
	fmt.Fprintf(said, "error: none\n")
	if text := string(said.Text); len(text) != sweeps.MostWords || !strings.HasSuffix(text, "a line\nerror: none\n") {
		t.Errorf("%d bytes, ending in %q", len(text), text[max(0, len(text)-30):])
	}
}
