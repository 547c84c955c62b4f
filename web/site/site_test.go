package site

import (
	"strings"
	"testing"
	"testing/fstest"
)

// documents returns sources with every page that a shelf names.
func documents(more map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for _, a := range arrangement {
		for _, name := range a.pages {
			if !strings.HasSuffix(name, "/") {
				all[name] = &fstest.MapFile{Data: []byte("# " + name + "\n")}
			}
		}
	}
	for name, text := range more {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// Links lead to pages of the site, or to the repository; headings have the anchors of GitHub; raw HTML and
// links that run something are left out.
func TestPages(t *testing.T) {
	s, err := New(Options{Documents: documents(map[string]string{
		"docs/FLOW.md": "# Flow & co\n\n## What `x_i` is: 2\n\n## What `x_i` is: 2\n\n[a](SPEC.md#keys) [b](../examples/kinds/walk.yaml) [c](../spec/spec.go) [d](decisions/) ![e](a.svg)\n\n" +
			"<b onclick=x>raw</b> [run](javascript:alert(1))\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n",
		"examples/kinds/walk.yaml": "# a walk\ngraph: ring:4\n", "docs/decisions/README.md": "# Decisions\n", "docs/a.svg": "<svg/>",
	}), Style: []byte("body {}"), Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	page := string(s.files["FLOW.html"])
	for _, want := range []string{
		"<title>Flow &amp; co · Hearsay</title>", `id="what-x_i-is-2"`, `id="what-x_i-is-2-1"`, `href="SPEC.html#keys"`, `href="examples/kinds/walk.yaml.html"`,
		`href="https://github.com/hearsay-dp/hearsay/blob/main/spec/spec.go"`, `href="decisions/index.html"`, `src="a.svg"`, `<td align="right">2</td>`, "v1.2.3",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, never := range []string{"onclick", "javascript:", "style="} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %s", never)
		}
	}
	if below := string(s.files["decisions/index.html"]); !strings.Contains(below, `href="../site/site.css"`) || !strings.Contains(below, `href="../FLOW.html"`) {
		t.Error("a page in a folder has no links to the top")
	}
	if index := string(s.files["site/index.js"]); !strings.Contains(index, `{"anchor":"what-x_i-is-2","title":"What x_i is: 2","text":""}`) || !strings.Contains(index, "graph: ring:4") {
		t.Error("the index does not have all text")
	}
	if string(s.files["a.svg"]) != "<svg/>" {
		t.Error("a picture is not copied")
	}
}

// A page that no shelf names stands on the last one. A shelf without its page is an error.
func TestEveryPageStandsOnAShelf(t *testing.T) {
	s, err := New(Options{Documents: documents(map[string]string{"docs/NEW.md": "# New\n"})})
	if err != nil || !strings.Contains(string(s.files["NEW.html"]), `<span class="crumb">Project</span>`) || !strings.Contains(string(s.files["index.html"]), `href="NEW.html"`) {
		t.Errorf("a new page is not found (%v)", err)
	}
	less := documents(nil)
	delete(less, "docs/FLOW.md")
	if _, err := New(Options{Documents: less}); err == nil || !strings.Contains(err.Error(), "docs/FLOW.md, which does not exist") {
		t.Errorf("the error is %v", err)
	}
}
