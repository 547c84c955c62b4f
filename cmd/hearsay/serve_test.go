package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/pair"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/web"
)

// said hands on what a command says, line by line as it is said.
type said struct{ *io.PipeWriter }

// serving runs hearsay with the arguments until the test ends, and returns where its
// dashboard is.
func serving(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, args, io.Discard, said{in})
		_ = in.Close()
	}()
	t.Cleanup(func() {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		if code := <-ended; code != form.ExitOK {
			t.Errorf("hearsay %v ended with %d", args, code)
		}
	})
	var text bytes.Buffer
	where := regexp.MustCompile(`the dashboard is at (http://[^ ;]*/)`)
	for buffer := make([]byte, 4096); ; {
		n, err := out.Read(buffer)
		text.Write(buffer[:n])
		if found := where.FindSubmatch(text.Bytes()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return string(found[1])
		}
		if err != nil {
			t.Fatalf("hearsay %v said %q and then nothing", args, text.String())
		}
	}
}

func fetched(t *testing.T, url string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestServeShowsWithoutAskingOutside(t *testing.T) {
	testdata.Sequential(t)
	where := serving(t, "serve", t.TempDir(), "--listen", "127.0.0.1:0")
	for _, path := range []string{"", "login", "assets/app.css"} {
		code, text := fetched(t, where+path)
		text = strings.ReplaceAll(text, "http://www.w3.org", "")
		if code != http.StatusOK || strings.Contains(text, "http://") || strings.Contains(text, "https://") {
			t.Errorf("/%s answers %d, and names addresses outside", path, code)
		}
	}
	if code, text := fetched(t, where+"api/list"); code != http.StatusOK || !strings.Contains(text, `"entries":[]`) {
		t.Errorf("the list is %d %s", code, text)
	}
}

func TestServeWithAToken(t *testing.T) {
	testdata.Sequential(t)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("0123456789abcdef0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	where := serving(t, "serve", t.TempDir(), "--listen", "127.0.0.1:0", "--token", file)
	if code, _ := fetched(t, where+"api/list"); code != http.StatusUnauthorized {
		t.Errorf("without the token: %d", code)
	}
	if code, _ := fetched(t, where+"api/list", "Authorization", "Bearer 0123456789abcdef0123"); code != http.StatusOK {
		t.Errorf("with it: %d", code)
	}
}

func TestServeRefuses(t *testing.T) {
	testdata.Sequential(t)
	dir := t.TempDir()
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"serve"}, form.ExitUsage, "at least 1 arg"},
		{[]string{"serve", filepath.Join(dir, "none")}, form.ExitFault, "is no folder"},
		{[]string{"serve", dir, "--listen", "0.0.0.0:0"}, form.ExitFault, "--token"},
		{[]string{"serve", dir, "--host", "trials.example.org", "--listen", "127.0.0.1:0"}, form.ExitFault, "--token"},
		{[]string{"serve", dir, "--listen", "here"}, form.ExitFault, "no address"},
		{[]string{"serve", dir, "--token", short}, form.ExitFault, "16 characters"},
		{[]string{"serve", dir, "--token", filepath.Join(dir, "none")}, form.ExitFault, "openssl rand"},
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), c.args, io.Discard, &stderr); code != c.code || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("hearsay %v: %d, %s", c.args, code, stderr.String())
		}
	}
}

// The dashboard says of a pair what privacy explain says, and reads no file that lies
// outside of the folders that it was given.
func TestServeExplainsAsTheCommandDoes(t *testing.T) {
	testdata.Sequential(t)
	dir := t.TempDir()
	text := []byte("name: a ring\nseed: 1\ndata: {source: two-gaussians, rows: 4, features: 2, normalise: unit}\nnodes: 6\ngraph: ring:6\nmodel: {kind: logistic}\n" +
		"algorithm: {kind: walk, steps: 60, step_size: 0.01, clip: 0.3, contributions: 12}\nprivacy: {sigma: 4, accountant: path, metric: {epsilon_at_delta: 1.0e-6}}\n")
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := pair.NewExplainer([]string{dir}).Explain(t.Context(), web.Ask{Dir: dir, Place: dir, About: 1, Observer: 4}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	if code := run(t.Context(), []string{"privacy", "explain", filepath.Join(dir, "spec.yaml"), "--about", "1", "--observer", "4"}, &out, &stderr); code != form.ExitOK {
		t.Fatal(stderr.String())
	}
	flat := strings.Join(strings.Fields(out.String()), " ")
	for _, p := range e.Text {
		if !strings.Contains(flat, strings.Join(strings.Fields(p.Text), " ")) {
			t.Errorf("the command does not say %q", p.Text)
		}
	}
	outside := filepath.Join(t.TempDir(), "rows.csv")
	s, err := experiment.Parse(text, "spec", "data.source=csv", "data.path="+outside, "data.target=y", "data.rows=")
	if err == nil {
		if err := pair.NewExplainer([]string{dir}).CheckFiles(s, dir); err == nil || !strings.Contains(err.Error(), "--data") {
			t.Errorf("a file outside: %v", err)
		}
	} else {
		t.Fatal(err)
	}
}
