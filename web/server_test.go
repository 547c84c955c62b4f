package web_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/web"
	"github.com/hearsay-dp/hearsay/web/webtest"
)

// hospitals are names that are not only letters.
var hospitals = []string{"Lyon", "Nice & Côte", "<b>Bonn</b>", "Łódź", "a \"quote\"", "node 3", "Paris", "São Paulo"}

// folder holds a run of eight hospitals, one of 64 nodes, a sweep and folders that are nothing.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, make := range map[string]func(string) error{
		"first":      func(d string) error { return webtest.Run(t.Context(), d, "ring:8", hospitals) },
		"deep/2/run": func(d string) error { return webtest.Run(t.Context(), d, "hypercube:6", nil) },
		"swept":      func(d string) error { return webtest.Sweep(t.Context(), d, true) },
		"going":      func(d string) error { return webtest.Sweep(t.Context(), d, false) },
		"nothing":    func(d string) error { return os.Mkdir(d, 0o755) },
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := make(path); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// served is a server of folders.
func served(t *testing.T, o web.Options) *httptest.Server {
	t.Helper()
	o.Now = time.Now
	s := web.New(o)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() { server.Close(); s.Close() })
	return server
}

// get is an answer's body, of the code that is wanted.
func get(t *testing.T, server *httptest.Server, path string, want int) []byte {
	t.Helper()
	answer, err := http.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		t.Fatalf("%s: %d, want %d (%v): %.300s", path, answer.StatusCode, want, err, body)
	}
	return body
}

func into[T any](t *testing.T, body []byte) (value T) {
	t.Helper()
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	return value
}

type entries struct {
	Entries []web.Entry
	Notes   []string
}

// listed are the entries of the list by their place, all of them looked into.
func listed(t *testing.T, server *httptest.Server) map[string]web.Entry {
	t.Helper()
	for {
		all, reading := map[string]web.Entry{}, false
		for _, e := range into[entries](t, get(t, server, "/api/list", 200)).Entries {
			_, place, _ := strings.Cut(e.Place, "/")
			all[place], reading = e, reading || e.Reading
		}
		if !reading {
			return all
		}
	}
}

func TestListSaysWhatFoldersHold(t *testing.T) {
	server := served(t, web.Options{Dirs: []string{folder(t)}})
	all := listed(t, server)
	if len(all) != 4 {
		t.Errorf("%d entries: %v", len(all), all)
	}
	if e := all["first"]; e.Kind != web.Run || e.Nodes != 8 || e.Score != "test accuracy 87.0 %" || e.Loss != "mean ≤ 1, worst ≤ 2.39" || e.Status != "sound" || e.Unit != "participant" {
		t.Errorf("the run is %+v", e)
	}
	if e := all["swept"]; e.Kind != web.Sweep || len(e.Facts) == 0 || e.Facts[0] != "8 cells over privacy.sigma, graph" {
		t.Errorf("the sweep is %+v", e)
	}
	if e := all["going"]; e.Kind != web.Sweep || len(e.Facts) == 0 || e.Facts[0] != "8 cells so far" {
		t.Errorf("the sweep that goes on is %+v", e)
	}
}

// What is new in the folders is in the next list, what is gone is not.
func TestListFollowsTheFolders(t *testing.T) {
	dir := folder(t)
	now := time.Unix(1000, 0)
	s := web.New(web.Options{Dirs: []string{dir}, Now: func() time.Time { return now }})
	defer s.Close()
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	before := listed(t, server)
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "first")), webtest.Run(t.Context(), filepath.Join(dir, "new"), "ring:5", nil)); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	after := listed(t, server)
	if _, still := after["first"]; still || after["new"].Nodes != 5 {
		t.Errorf("the list is %v", after)
	}
	get(t, server, "/api/run/"+before["first"].ID, 404)
}

// The losses that are sent are those that were written, to the bit.
func TestLossesAreThoseOfTheRun(t *testing.T) {
	server := served(t, web.Options{Dirs: []string{folder(t)}})
	id := listed(t, server)["first"].ID
	p := into[struct {
		Nodes           int
		Names           []string
		About, Observer int
		Accountants     []struct{ Name, Status string }
		Picture         struct{ Edges []int }
		Lead            int
		Each            struct{ Each []struct{ Name string } }
	}](t, get(t, server, "/api/run/"+id+"/pairs", 200))
	if p.Nodes != 8 || p.Names[2] != hospitals[2] || len(p.Accountants) != 2 || p.Accountants[p.Lead].Status != "sound" || len(p.Picture.Edges) != 16 || p.Each.Each[1].Name != hospitals[1] {
		t.Fatalf("the pairs are %+v", p)
	}
	if p.About != 7 || (p.Observer != 0 && p.Observer != 6) { // the last node's losses are the largest, its neighbours' alike
		t.Errorf("it opens on %d, %d", p.About, p.Observer)
	}
	column := floats(get(t, server, "/api/run/"+id+"/observer/3", 200))
	row := floats(get(t, server, "/api/run/"+id+"/about/3", 200))
	if len(column) != 24 || len(row) != 24 {
		t.Fatalf("%d and %d numbers", len(column), len(row))
	}
	sound := func(u, hops int) float64 { return 4 * math.Exp(-0.4*float64(hops)) * (1 + 0.1*float64(u)/8) }
	if column[1] != sound(1, 2) || column[3] != 0 || row[7] != sound(3, 4) || column[16+1] != 2 || row[16+7] != 4 {
		t.Errorf("column %v, row %v", column, row)
	}
	if !math.IsNaN(column[8+7]) || math.IsNaN(column[7]) {
		t.Errorf("the pair that was not priced is %v", column[8+7])
	}
	for _, node := range []string{"8", "-1", "x", "99999999999999999999"} {
		get(t, server, "/api/run/"+id+"/observer/"+node, 404)
	}
}

func floats(body []byte) (list []float64) {
	for ; len(body) >= 8; body = body[8:] {
		list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(body)))
	}
	return list
}

func TestRunPage(t *testing.T) {
	server := served(t, web.Options{Dirs: []string{folder(t)}})
	run := into[struct {
		Name  string
		Curve []any
		Spec  string
		Pairs bool
		Files []struct{ Name string }
		Shown struct {
			Accounts []struct{ Name, Status, Max string }
		}
		Trials int
	}](t, get(t, server, "/api/run/"+listed(t, server)["deep/2/run"].ID, 200))
	if !run.Pairs || len(run.Curve) != 21 || run.Trials != 3 || !strings.Contains(run.Spec, "hypercube:6") || len(run.Files) < 8 || run.Shown.Accounts[0].Max != "≤ 2.39" {
		t.Errorf("the run is %+v", run)
	}
}

// An answer that the asker has is not sent again.
func TestUnchangedAnswersAreShort(t *testing.T) {
	server := served(t, web.Options{Dirs: []string{folder(t)}})
	path := "/api/run/" + listed(t, server)["first"].ID
	first, err := http.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Body.Close()
	r, err := http.NewRequest("GET", server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("If-None-Match", first.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Body.Close()
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again: %d", again.StatusCode)
	}
}

// No path is taken from whoever asks, and no link leads out of the folders.
func TestNothingOutsideOfTheFoldersIsRead(t *testing.T) {
	outside := t.TempDir()
	if err := webtest.Run(t.Context(), filepath.Join(outside, "secret"), "ring:5", nil); err != nil {
		t.Fatal(err)
	}
	dir := folder(t)
	linked := filepath.Join(dir, "linked")
	if err := errors.Join(os.Mkdir(linked, 0o755), os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "whole")),
		os.Symlink(filepath.Join(outside, "secret", "result.json"), filepath.Join(linked, "result.json")),
		os.Symlink(filepath.Join(outside, "secret", "model.json"), filepath.Join(dir, "first", "x")),
		os.Remove(filepath.Join(dir, "first", "model.json")), os.Symlink(filepath.Join(outside, "secret", "model.json"), filepath.Join(dir, "first", "model.json"))); err != nil {
		t.Fatal(err)
	}
	server := served(t, web.Options{Dirs: []string{dir}})
	all := listed(t, server)
	if e, there := all["whole"]; there {
		t.Errorf("a link to a folder outside is listed: %+v", e)
	}
	if e, there := all["linked"]; there {
		t.Errorf("a folder with a link for its result is listed: %+v", e)
	}
	id := all["first"].ID
	for _, path := range []string{"/files/" + id + "/model.json", "/files/" + id + "/x", "/files/" + id + "/..%2f..%2fetc%2fpasswd", "/files/../../etc/passwd", "/api/run/..%2f..",
		"/files/" + id + "/result.json%00", "/api/run/%2e%2e/pairs", "/assets/..%2fSUMS", "/assets/SUMS", "/built/SUMS", "/api/nothing", "/files/" + id + "/nothing"} {
		get(t, server, path, 404)
	}
	get(t, server, "/files/"+id+"/result.json", 200)
}

// Pages that runs wrote are shut off from this one.
func TestReportsAreSandboxed(t *testing.T) {
	server := served(t, web.Options{Dirs: []string{folder(t)}})
	answer, err := http.Get(server.URL + "/files/" + listed(t, server)["first"].ID + "/report.html")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if csp := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "sandbox ") || strings.Contains(csp, "allow-same-origin") || !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("the policy of a report is %q", csp)
	}
}

func TestSweepShowsItsCells(t *testing.T) {
	server := served(t, web.Options{Dirs: []string{folder(t)}})
	type view struct {
		Keys  []string
		Ended bool
		Rows  []struct {
			Values   []string
			Best     bool
			Score    float64
			MeanText string `json:"mean_text"`
		}
	}
	all := listed(t, server)
	ended, going := into[view](t, get(t, server, "/api/sweep/"+all["swept"].ID, 200)), into[view](t, get(t, server, "/api/sweep/"+all["going"].ID, 200))
	if !ended.Ended || going.Ended || len(ended.Rows) != 8 || len(going.Rows) != 8 || len(going.Keys) != 2 || going.Keys[0] != "privacy.sigma" {
		t.Fatalf("ended %+v\ngoing on %+v", ended, going)
	}
	for _, v := range []view{ended, going} {
		for _, r := range v.Rows {
			if !r.Best || r.MeanText == "" || len(r.Values) != 2 || r.Score < 0.6 {
				t.Errorf("a row is %+v", r)
			}
		}
	}
}

func TestCompareRuns(t *testing.T) {
	server := served(t, web.Options{Dirs: []string{folder(t)}})
	all := listed(t, server)
	c := into[struct {
		Keys []string
		Rows []struct{ Values []string }
		Runs []struct{ Curve []any }
	}](t, get(t, server, "/api/compare?run="+all["first"].ID+"&run="+all["deep/2/run"].ID, 200))
	if len(c.Rows) != 2 || len(c.Runs) != 2 || strings.Join(c.Keys, " ") != "run nodes privacy.sigma" || c.Rows[0].Values[1] != "8" || len(c.Runs[1].Curve) == 0 {
		t.Errorf("%+v", c)
	}
	get(t, server, "/api/compare?run="+all["first"].ID, 404)
	get(t, server, "/api/compare?run="+all["first"].ID+"&run="+all["swept"].ID, 404)
}

// An explanation is worked out once, and its question answered at once meanwhile.
func TestExplain(t *testing.T) {
	release := make(chan struct{})
	asked := make(chan web.Ask, 8)
	server := served(t, web.Options{Dirs: []string{folder(t)}, Explain: func(ctx context.Context, a web.Ask, say func(string)) (*web.Explanation, error) {
		say("pricing")
		asked <- a
		select {
		case <-release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if a.About == 2 {
			panic("an accountant broke")
		}
		return &web.Explanation{Text: []web.Paragraph{{Heading: "Why", Text: "because"}}}, nil
	}})
	path := "/api/run/" + listed(t, server)["first"].ID + "/explain"
	type view struct {
		State, Error string
		Said         []string
		Of           *web.Explanation
	}
	get(t, server, path, 404)
	get(t, server, path+"?about=1&observer=x", 404)
	if v := into[view](t, get(t, server, path+"?about=1&observer=3", 200)); v.State != "working" {
		t.Fatalf("asked first: %+v", v)
	}
	if a := <-asked; a.About != 1 || a.Observer != 3 || filepath.Base(filepath.Clean(a.Dir)) != "first" {
		t.Errorf("asked %+v", a)
	}
	if v := into[view](t, get(t, server, path+"?about=2&observer=3", 200)); v.State != "working" || !strings.Contains(strings.Join(v.Said, ""), "another") {
		t.Errorf("another question meanwhile: %+v", v)
	}
	close(release)
	end := func(query string) (v view) {
		for v.State != "done" && v.State != "failed" {
			v = into[view](t, get(t, server, path+query, 200))
		}
		return v
	}
	if v := end("?about=1&observer=3"); v.Of == nil || v.Of.Text[0].Text != "because" {
		t.Errorf("at the end: %+v", v)
	}
	if v := end("?about=2&observer=3"); v.State != "failed" || !strings.Contains(v.Error, "an accountant broke") {
		t.Errorf("one that panics: %+v", v)
	}
}
