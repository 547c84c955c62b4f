package report

import (
	"fmt"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const chromium = "/usr/bin/chromium"

// dumped is the text of the page about b after a headless browser ran it.
func dumped(t *testing.T, b *Bundle) string {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("SKIPPED: no browser at %s, the page's script was not run", chromium)
	}
	dir, err := os.MkdirTemp("", "browser") // t.TempDir minds what the browser's last processes still write there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	page := filepath.Join(dir, "report.html")
	f, err := os.Create(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := Page(t.Context(), f, b); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	dom, err := os.Create(filepath.Join(dir, "dom.html"))
	if err != nil {
		t.Fatal(err)
	}
	defer dom.Close()
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--no-first-run", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--virtual-time-budget=20000", "--dump-dom", "file://"+page)
	cmd.Stdout = dom // a file: a pipe would be waited for until the last of the browser's processes is gone
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v", chromium, err)
	}
	out, err := os.ReadFile(dom.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// words are what a person reads in the element with that id.
func wordsOf(dom, id string) string {
	_, text, _ := strings.Cut(dom, `id="`+id+`"`)
	_, text, _ = strings.Cut(text, ">")
	text, _, _ = strings.Cut(text, "</p>")
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, ""))
}

func TestBrowserOpensOnTheWorstPair(t *testing.T) {
	t.Parallel() // a browser mostly waits
	b := hypercubeBundle(5)
	dom := dumped(t, b)
	factor := func(l *Losses) string { return fmt.Sprint(math.Ceil(10*math.Exp(l.At(1, 0))) / 10) }
	want := "Suppose node 0 knows all data but that of node 1, and is undecided between two possibilities for it. Everything it saw during the run is worth no more than a hint that changes the odds between any two " +
		"possibilities by a factor of at most " + factor(b.Losses[0]) + ", or, with a chance of 1 in 1\u202f000\u202f000, tells all published. " +
		"That is the published formula, not a guarantee; the guaranteed factor is " + factor(b.Losses[1]) + " sound. They are 1 hop apart."
	if got := wordsOf(dom, "answer"); got != want {
		t.Errorf("the answer is\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(dom, "The graph, as <span class=\"observer-name\">node 0</span> sees it") {
		t.Error("the drawing is not as node 0 sees it")
	}
}

func TestBrowserNamesHospitals(t *testing.T) {
	t.Parallel() // a browser mostly waits
	dom := dumped(t, hospitalsBundle())
	want := "Suppose Cleveland knows all data but that of Budapest, and is undecided between two possibilities for it. Everything it saw during the run is worth no more than a hint that changes the odds between any two " +
		"possibilities by a factor of at most 6.69, or, with a chance of 1 in 1\u202f000\u202f000, tells all sound. They are 1 hop apart."
	if got := wordsOf(dom, "answer"); got != want {
		t.Errorf("the answer is\n%s\nwant\n%s", got, want)
	}
}

func TestBrowserRunsNoForeignScript(t *testing.T) {
	t.Parallel() // a browser mostly waits
	b := hospitalsBundle()
	const evil = `</script><script>document.title="taken"</script><img src=x onerror='document.title="taken"'>`
	b.Result.Name, b.Picture.Names[0] = evil, evil
	dom := dumped(t, b)
	if strings.Contains(dom, "<title>taken") || !strings.Contains(wordsOf(dom, "answer"), "document.title") {
		t.Errorf("the answer is %q", wordsOf(dom, "answer"))
	}
}

func TestBrowserWithoutBound(t *testing.T) {
	t.Parallel() // a browser mostly waits
	b := hypercubeBundle(4)
	unbounded(b)
	if got := wordsOf(dumped(t, b), "answer"); !strings.Contains(got,
		"nothing bounds it published. That is the published formula, not a guarantee; no guaranteed factor is known.") {
		t.Errorf("the answer is %q", got)
	}
}

// Every figure has its button, in the page as it is opened from a file.
func TestBrowserOffersToSaveEveryFigure(t *testing.T) {
	t.Parallel() // a browser mostly waits
	b := geometricBundle(20)
	dom := dumped(t, b)
	for kind, want := range map[string]int{"SVG": 3, "PNG": 2} {
		if got := strings.Count(dom, ">Save "+kind+"</button>"); got != want {
			t.Errorf("%d buttons save %s, want %d", got, kind, want)
		}
	}
	b.Losses, b.Picture, b.Result.Privacy = nil, nil, Privacy{}
	if got := strings.Count(dumped(t, b), ">Save SVG</button>"); got != 2 {
		t.Errorf("without losses %d buttons save SVG, want 2", got)
	}
}
