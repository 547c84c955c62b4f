package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/hearsay-dp/hearsay"
	"github.com/hearsay-dp/hearsay/web"
	"github.com/hearsay-dp/hearsay/web/site"
	"github.com/hearsay-dp/hearsay/web/webtest"
)

const chromium = "/usr/bin/chromium"

// patience is how long a browser on a busy machine may take for one thing that a test asks of it.
const patience = 3 * time.Minute

// A tab is a page of a browser of its own, with what went wrong in it.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string // of the server

	mu       sync.Mutex
	problems []string
	refused  string // what comes under this address may be an error, which the browser logs whenever it gets to it
}

// opened starts a browser, with WebGL by software or, where flag is set, without any.
func opened(t *testing.T, url string, without3D bool) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile(t)),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("enable-unsafe-swiftshader", !without3D), chromedp.Flag("disable-3d-apis", without3D), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, url: url}
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	slow := time.AfterFunc(patience, cancel) // the context of the first call is the browser's: it has no deadline of its own
	defer slow.Stop()
	b.check(chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, first := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		_, second := cdp.Call(ctx, target, log.Enable, cdp.Empty{})
		_, third := cdp.Call(ctx, target, runtime.Enable, cdp.Empty{})
		return errors.Join(first, second, third)
	})))
	return b
}

// profile is a folder for a browser, whose last processes may still write into it when the
// test has ended.
func profile(t *testing.T) string {
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// note takes down requests to elsewhere, and errors of the page's script.
func (b *tab) note(event any) {
	problem := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, b.url) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:") {
			problem = "asked " + u
		}
	case *runtime.EventExceptionThrown:
		problem = "threw " + (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error()
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "WebGL") && !b.expected(e.Entry.URL) {
			problem = "logged " + e.Entry.Text + " " + e.Entry.URL
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			problem = fmt.Sprintf("said %s", e.Args[0].Value)
		}
	}
	if problem != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, problem)
	}
}

// expected reports whether an error at an address is part of the test.
func (b *tab) expected(url string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused != "" && strings.HasPrefix(url, b.url+b.refused)
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, action := range actions {
		ask(b, action)
	}
}

// ask has the browser do one thing, and gives what came of it.
func ask[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	b.check(err)
	return value
}

// check ends the test on an error, and says where the page is.
func (b *tab) check(err error) {
	b.t.Helper()
	if err != nil {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		defer cancel()
		text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 1500)`))
		b.t.Fatalf("%v; the page is at %s", err, text)
	}
}

// look sets what the browser is like.
func (b *tab) look(width, height int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// open shows a place of the page and waits for a text in it.
func (b *tab) open(place, text string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+place))
	b.until(fmt.Sprintf(`document.body.innerText.includes(%q)`, text))
}

// until waits for what an expression says, also where the page goes elsewhere meanwhile.
func (b *tab) until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean(document.body && ("+expression+"))"))
		if err == nil && there {
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			b.t.Fatalf("it never was that %s: %v, %v", expression, ctx.Err(), err)
		}
	}
}

// text is what an expression gives.
func (b *tab) text(expression string) string {
	b.t.Helper()
	return ask(b, chromedp.Evaluate[string]("String("+expression+")"))
}

// well says what went wrong since it was asked last.
func (b *tab) well(what string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("%s: the page %s", what, p)
	}
	b.problems = nil
}

// hostile is what names may be: nothing of it is ever read as HTML.
const hostile = `<img src=x onerror="window.taken=1"><b>Bonn</b>`

// served is a dashboard of runs, a sweep and a participant.
func served(t *testing.T, token string) *httptest.Server {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("SKIPPED: no browser at %s, the page was not looked at", chromium)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(webtest.Run(t.Context(), at("hospitals"), "ring:6", []string{"Lyon", hostile, "Nice & Côte", "Paris", "Łódź", "São Paulo"}),
		webtest.Run(t.Context(), at("cube"), "hypercube:6", nil), webtest.Sweep(t.Context(), at("swept"), true), webtest.Sweep(t.Context(), at("going"), false),
		webtest.Participant(at("lyon")), os.Mkdir(at("broken"), 0o755), os.WriteFile(filepath.Join(at("broken"), "result.json"), []byte(`{"privacy": 7}`), 0o644)); err != nil {
		t.Fatal(err)
	}
	return servedFrom(t, dir, token)
}

func servedFrom(t *testing.T, dir, token string) *httptest.Server {
	docs, err := site.New(site.Options{Documents: hearsay.Documents(), Style: web.Asset("app.css"), Icon: web.Asset("icon.svg"), Version: "test",
		Generated: map[string]string{"docs/commands/README.md": "# Commands\n", "docs/STUDIES.md": "# Studies\n"}})
	if err != nil {
		t.Fatal(err)
	}
	s := web.New(web.Options{
		Dirs: []string{dir}, Version: "test", Now: time.Now, Docs: docs,
		Explain: func(context.Context, web.Ask, func(string)) (*web.Explanation, error) {
			return &web.Explanation{Text: []web.Paragraph{{Heading: "Why", Text: "Because of " + hostile}}}, nil
		},
		Node: func(context.Context, string) (*web.NodeView, error) { return webtest.NodeView(), nil },
	})
	guard := &web.Guard{Token: token, Session: strings.Repeat("s", 64), Now: time.Now}
	server := httptest.NewServer(guard.Handler(s.Handler()))
	t.Cleanup(func() { server.Close(); s.Close() })
	return server
}

// ids are the entries of the list by the last part of their place.
func ids(t *testing.T, server *httptest.Server) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, e := range webtest.List(t, http.DefaultClient, server.URL) {
		all[filepath.Base(e.Place)] = e.ID
	}
	return all
}
