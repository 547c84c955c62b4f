package main

import (
	"io/fs"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	named     = regexp.MustCompile(`id="([^"]*)"`)
	elsewhere = "https://github.com/hearsay-dp/hearsay/blob/main/"
)

// Every link of the documentation leads to a page, a heading or a file that exists, and no page has what
// the Content-Security-Policy forbids.
func TestDocumentationHasNoDeadLinks(t *testing.T) {
	testdata.Sequential(t)
	s, err := newSite(newRoot())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	pages, anchors := map[string]string{}, map[string][]string{}
	for _, name := range s.Files() {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			anchors[name] = append(anchors[name], m[1])
		}
	}
	links := 0
	for name, text := range pages {
		if path.Ext(name) != ".html" {
			continue
		}
		if strings.Contains(text, " style=") || strings.Contains(text, "<script>") || strings.Contains(text, "raw HTML omitted") {
			t.Errorf("%s has a style, a script or raw HTML in it", name)
		}
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			links++
			u, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			switch {
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case strings.HasPrefix(m[1], elsewhere):
				if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(u.Path, "/hearsay-dp/hearsay/blob/main/")))); err != nil {
					t.Errorf("%s links to %s: %v", name, m[1], err)
				}
			case u.Scheme != "":
				if strings.HasPrefix(m[0], "src") || !slices.Contains([]string{"https", "http", "mailto"}, u.Scheme) {
					t.Errorf("%s has %s", name, m[0])
				}
			default:
				to := name
				if u.Path != "" {
					to = path.Join(path.Dir(name), u.Path)
				}
				if _, ok := pages[to]; !ok {
					t.Errorf("%s links to %s, which does not exist", name, m[1])
				} else if u.Fragment != "" && !slices.Contains(anchors[to], u.Fragment) {
					t.Errorf("%s links to %s, which has no such heading", name, m[1])
				}
			}
		}
	}
	if len(pages) < 100 || links < 5000 {
		t.Errorf("there are %d files with %d links", len(pages), links)
	}
}

// The gallery has every example.
func TestGalleryIsWhole(t *testing.T) {
	text, err := fs.ReadFile(hearsay.Documents(), "docs/GALLERY.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := fs.Glob(hearsay.Documents(), "examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	below, err := fs.Glob(hearsay.Documents(), "examples/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(examples, below...) {
		if !strings.Contains(string(text), "(../"+name+")") {
			t.Errorf("docs/GALLERY.md does not link to %s", name)
		}
	}
}

// hearsay serve answers below /docs/ with the page of a command.
func TestDocumentationIsServed(t *testing.T) {
	h := docsHandler(newRoot())
	for name, want := range map[string]string{"": "Start here", "commands/hearsay-privacy-walk.html": "hearsay privacy walk", "decisions/": "decisions"} {
		r, w := httptest.NewRequest("GET", "/docs/"+name, nil), httptest.NewRecorder()
		r.URL.Path = name
		h.ServeHTTP(w, r)
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%q: %d, %v", name, w.Code, w.Header())
		}
	}
	r, w := httptest.NewRequest("GET", "/docs/none.html", nil), httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 404 {
		t.Errorf("a page that does not exist has the code %d", w.Code)
	}
}

// A manual page has the parts of one, and no line of a help text is taken for a macro.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	n, err := writeManual(newRoot(), dir)
	if err != nil || n < 60 {
		t.Fatalf("%d pages: %v", n, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "hearsay-privacy-walk.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH HEARSAY-PRIVACY-WALK 1", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", `\-\-sigma`, "hearsay\\-privacy(1)"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if got, want := troff(".a\n'b -c\\"), `\&.a`+"\n"+`\&'b \-c\e`; got != want {
		t.Errorf("troff gives %q, want %q", got, want)
	}
}
