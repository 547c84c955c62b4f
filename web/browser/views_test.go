package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe finds what keeps people from using a page (Deque's axe-core, MPL 2.0).
//
//go:embed testdata/axe.min.js
var axe string

// accessible reports violations of WCAG 2.2 A and AA.
func (b *tab) accessible(what string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](axe + "; 0"))
	text := ask(b, chromedp.Evaluate[string](`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(
		(r) => JSON.stringify(r.violations.map((v) => ({id: v.id, help: v.help, at: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary)}))))`, chromedp.EvalAwaitPromise))
	var found []struct {
		ID, Help string
		At       []string
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range found {
		b.t.Errorf("%s: %s: %s\n%s", what, v.ID, v.Help, strings.Join(v.At, "\n"))
	}
}

// fits reports what makes a page wider than its window: there is nothing to scroll sideways
// but tables in frames of their own.
func (b *tab) fits(what string) {
	b.t.Helper()
	if over := b.text(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over != "0" {
		wide := b.text(`[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .plot, .canvas, pre")).slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join("\n")`)
		b.t.Errorf("%s is %s pixels wider than its window: %s", what, over, wide)
	}
}

// Every view is there on a desktop, light, and on a phone, dark, without errors or requests
// to elsewhere, and accessible. HEARSAY_SHOTS names a folder for pictures of all of them.
func TestEveryView(t *testing.T) {
	t.Parallel() // a browser mostly waits
	server := served(t, "")
	at := ids(t, server)
	views := []struct{ name, place, text string }{
		{"list", "/", "Runs, sweeps and nodes"},
		{"run", "/#/run/" + at["cube"], "Node by node"},
		{"names", "/#/run/" + at["hospitals"] + "?about=1&observer=0", "Node by node"},
		{"sweep", "/#/sweep/" + at["swept"], "What privacy costs"},
		{"going", "/#/sweep/" + at["going"], "It is going on"},
		{"node", "/#/node/" + at["lyon"], "What each participant could have learnt"},
		{"compare", "/#/compare?run=" + at["cube"] + "&run=" + at["hospitals"], "What they differ in"},
		{"broken", "/#/run/" + at["broken"], "This cannot be shown"},
		{"none", "/#/nothing", "There is no such page"},
		{"login", "/login", "Log in"},
		{"docs", "/docs/", "Start here"},
		{"docs-gallery", "/docs/GALLERY.html", "Charts"},
	}
	b := opened(t, server.URL, false)
	b.mu.Lock()
	b.refused = "/api/run/" + at["broken"]
	b.mu.Unlock()
	for _, look := range looks() {
		b.look(look.width, 900, look.scheme)
		for _, v := range views {
			what := fmt.Sprintf("%s, %d wide, %s", v.name, look.width, look.scheme)
			b.open(v.place, v.text)
			b.until(`!document.querySelector(".plot") || document.querySelector(".plot canvas")`)
			b.until(`!document.querySelector(".graph") || document.querySelector(".graph[data-engine]")`)
			b.well(what)
			b.fits(what)
			b.accessible(what)
			b.shoot(v.name, look.width, look.scheme)
		}
	}
	b.open("/docs/decisions/", "Decisions")
	b.do(chromedp.Evaluate[chromedp.Void](`field.value = "spectral gap"; field.dispatchEvent(new Event("input")); 0`))
	b.until(`!found.hidden && found.querySelectorAll("li a").length > 3 && found.querySelector("mark")`)
	b.do(chromedp.Evaluate[chromedp.Void](`field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"})); 0`))
	b.until(`location.pathname.startsWith("/docs/") && !location.pathname.includes("decisions") && found.hidden`)
	b.well("search of the documentation")
	if b.text("window.taken") != "undefined" {
		t.Error("a name was read as HTML")
	}
}

// A look is what a browser is like.
type look struct {
	width  int64
	scheme string
}

// looks are a desktop and a phone, one of them dark; all of both where pictures are kept.
func looks() []look {
	list := []look{{1280, "light"}, {390, "dark"}}
	if os.Getenv("HEARSAY_SHOTS") != "" {
		list = append(list, look{390, "light"}, look{1280, "dark"})
	}
	return list
}

// shoot keeps a picture of the whole page.
func (b *tab) shoot(name string, width int64, scheme string) {
	folder := os.Getenv("HEARSAY_SHOTS")
	if folder == "" {
		return
	}
	picture := ask(b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
