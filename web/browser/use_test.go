package browser

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/hearsay-dp/hearsay/web/webtest"
)

// tabTo presses Tab until an expression about the element that has the focus, e, holds.
func (b *tab) tabTo(what, expression string) {
	b.t.Helper()
	for range 80 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if b.text(`((e) => Boolean(`+expression+`))(document.activeElement)`) == "true" {
			if b.text(`getComputedStyle(document.activeElement).outlineStyle`) == "none" && b.text(`document.activeElement.type`) != "radio" {
				b.t.Errorf("%s has the focus, and does not show it", what)
			}
			return
		}
	}
	b.t.Fatalf("Tab does not lead to %s", what)
}

// Everything can be done with the keyboard alone: from the list to a run, to another pair,
// an explanation, a node of the graph, and back; and two runs put side by side.
func TestKeyboardAlone(t *testing.T) {
	t.Parallel() // a browser mostly waits
	server := served(t, "")
	b := opened(t, server.URL, false)
	b.look(1280, 900, "light")
	b.open("/", "A run on ring:6")
	b.tabTo("the link past the bar", `e.className === "skip"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.id === "main"`)
	b.tabTo("the run", `e.textContent === "A run on ring:6"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".graph[data-engine]") && document.activeElement.id === "main"`)

	b.tabTo("whom it is about", `e.id === "about"`)
	before := b.text(`document.querySelector(".answer").textContent`)
	b.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	b.until(fmt.Sprintf(`document.querySelector(".answer").textContent !== %q && location.hash.includes("about=2")`, before))
	b.tabTo("the explanation", `e.textContent.startsWith("Explain why")`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".explanation").textContent.includes("Because of <img")`)
	b.tabTo("the graph", `e.classList.contains("graph")`)
	observer := b.text(`document.querySelector("#observer").value`)
	for _, key := range []string{kb.ArrowRight, kb.ArrowDown, kb.ArrowLeft, kb.ArrowUp} { // one of them leads somewhere
		b.do(chromedp.KeyEvent(key))
	}
	b.until(`!document.querySelector(".tip").hidden`)
	if strings.Contains(b.text(`document.querySelector(".tip").textContent`), "observer") {
		b.do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowLeft))
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(fmt.Sprintf(`document.querySelector("#observer").value !== %q`, observer))

	b.open("/", "A run on ring:6")
	for _, name := range []string{"hypercube:6", "ring:6"} {
		b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("main").focus()`))
		b.tabTo("its box", fmt.Sprintf(`e.type === "checkbox" && e.closest("tr").textContent.includes(%q)`, name))
		b.do(chromedp.KeyEvent(" "))
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("main").focus()`))
	b.tabTo("Compare", `e.textContent === "Compare 2 runs"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.body.innerText.includes("What they differ in")`)
	b.well("the keyboard")
	if b.text("window.taken") != "undefined" {
		t.Error("an explanation was read as HTML")
	}
}

// colours counts those of a picture of the graph.
func (b *tab) colours() int {
	b.t.Helper()
	img, err := png.Decode(bytes.NewReader(ask(b, chromedp.Screenshot(chromedp.CSS(".graph")))))
	b.check(err)
	seen := map[[3]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, blue, _ := img.At(x, y).RGBA()
			seen[[3]uint32{r >> 11, g >> 11, blue >> 11}] = true
		}
	}
	return len(seen)
}

// A graph of 2000 nodes is drawn, with WebGL and without any, coloured by what its observer
// learnt; another observer gives other losses.
func TestGraphOfTwoThousandNodes(t *testing.T) {
	t.Parallel() // a browser mostly waits
	dir := t.TempDir()
	small := served(t, "") // skips where there is no browser
	small.Close()
	if err := webtest.Run(t.Context(), filepath.Join(dir, "many"), "geometric:n=2000,r=0.06,connected", nil); err != nil {
		t.Fatal(err)
	}
	server := servedFrom(t, dir, "")
	id := ids(t, server)["many"]
	for _, c := range []struct {
		engine    string
		without3D bool
	}{{"webgl", false}, {"canvas", true}} {
		b := opened(t, server.URL, c.without3D)
		b.look(1280, 900, "light")
		b.open("/#/run/"+id, "Node by node")
		b.until(`document.querySelector(".graph[data-engine]")`)
		if engine := b.text(`document.querySelector(".graph").dataset.engine`); engine != c.engine {
			t.Errorf("drawn by %s, want %s", engine, c.engine)
		}
		if n := b.colours(); n < 20 {
			t.Errorf("%s: the picture has %d colours", c.engine, n)
		}
		before := b.text(`document.querySelector(".answer").textContent`)
		b.do(chromedp.SendKeys(chromedp.CSS("#observer"), "\b\b\b\b\b\b\b\b\b\b\b\b17"+kb.Enter))
		b.until(fmt.Sprintf(`document.querySelector(".answer").textContent !== %q && location.hash.includes("observer=17")`, before))
		b.shoot("many-"+c.engine, 1280, "light")
		b.well(c.engine)
	}
}

// Whoever has the link with the token gets in, others do not, and the token stays out of the address.
func TestLogin(t *testing.T) {
	t.Parallel() // a browser mostly waits
	const token = "a token of enough characters"
	server := served(t, token)
	b := opened(t, server.URL, false)
	b.open("/", "Log in")
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), "wrong"+kb.Enter))
	b.until(`document.body.innerText.includes("That is not the token")`)
	b.open("/login#"+token, "Runs, sweeps and nodes")
	if at := b.text("location.href"); at != server.URL+"/" {
		t.Errorf("the address is %s", at)
	}
	b.well("the login")
}

// What is new in the folders shows up by itself.
func TestTheListIsLive(t *testing.T) {
	t.Parallel() // a browser mostly waits
	server := served(t, "")
	server.Close()
	dir := t.TempDir()
	server = servedFrom(t, dir, "")
	b := opened(t, server.URL, false)
	b.open("/", "There is nothing to show yet")
	if err := errors.Join(webtest.Run(t.Context(), filepath.Join(dir, "new"), "ring:5", nil)); err != nil {
		t.Fatal(err)
	}
	b.until(`document.body.innerText.includes("A run on ring:5")`)
	b.well("the list")
}
