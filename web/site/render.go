package site

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// repository is the address of files that are not part of the site.
const repository = "https://github.com/hearsay-dp/hearsay/blob/main/"

// markdown reads the Markdown of GitHub: with tables and bare addresses. Alignment of cells is an attribute,
// because the Content-Security-Policy forbids styles in a page.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// A page is one page of the site.
type page struct {
	Source   string // path in the repository
	File     string // path in the site
	Title    string
	Shelf    string // title of its shelf; "" for a page that other pages list
	Body     template.HTML
	Outline  []section // its headings of the second level
	sections []section
	tree     ast.Node
}

// A section is a heading with the text below it.
type section struct {
	Anchor string `json:"anchor"` // "" for the text before the first heading
	Title  string `json:"title"`
	Text   string `json:"text"`
	level  int
}

// A builder renders pages.
type builder struct {
	sources map[string][]byte
	pages   map[string]*page // by source
}

// picture reports whether a file is copied as it is.
func picture(name string) bool { return slices.Contains([]string{".svg", ".png"}, path.Ext(name)) }

// example reports whether a file is shown as a block of code.
func example(name string) bool { return slices.Contains([]string{".yaml", ".py"}, path.Ext(name)) }

// fileOf returns the path in the site of a file of the repository. The start page is docs/README.md;
// the README of the repository keeps its name.
func fileOf(source string) string {
	name := strings.TrimPrefix(source, "docs/")
	switch {
	case source == "README.md":
		return "README.html"
	case path.Base(name) == "README.md":
		return path.Join(path.Dir(name), "index.html")
	case strings.HasSuffix(name, ".md"):
		return strings.TrimSuffix(name, ".md") + ".html"
	case example(name):
		return name + ".html"
	}
	return name
}

// read parses all sources.
func (b *builder) read(o Options) error {
	err := fs.WalkDir(o.Documents, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !picture(name) && !example(name) && path.Ext(name) != ".md" {
			return err
		}
		b.sources[name], err = fs.ReadFile(o.Documents, name)
		return err
	})
	for name, text := range o.Generated {
		b.sources[name] = []byte(text)
	}
	for name, content := range b.sources {
		switch {
		case path.Ext(name) == ".md":
			b.parse(name, content)
		case example(name):
			b.parse(name, fenced(name, content))
		}
	}
	return err
}

// fenced returns a Markdown page with an example file as a block of code.
func fenced(name string, content []byte) []byte {
	return slices.Concat([]byte("# "+path.Base(name)+"\n\n`"+name+"`\n\n````\n"), content, []byte("\n````\n"))
}

// parse adds the page of a Markdown source.
func (b *builder) parse(source string, content []byte) {
	b.sources[source] = content
	p := &page{Source: source, File: fileOf(source)}
	p.tree = markdown.Parser().Parse(text.NewReader(content), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{taken: map[string]int{}}))))
	p.sections = []section{{}}
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no step returns an error
		last := &p.sections[len(p.sections)-1]
		h, isHeading := n.(*ast.Heading)
		switch {
		case isHeading && entering:
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			p.sections = append(p.sections, section{Anchor: string(anchor), Title: plain(h, content), level: h.Level})
			return ast.WalkSkipChildren, nil
		case entering && n.Type() == ast.TypeBlock && n.Lines() != nil && n.FirstChild() == nil:
			last.Text += string(n.Lines().Value(content)) + " "
		case entering && n.Type() == ast.TypeInline:
			last.Text += inline(n, content)
		case !entering && n.Type() == ast.TypeBlock:
			last.Text += " "
		}
		return ast.WalkContinue, nil
	})
	for i, s := range p.sections {
		p.sections[i].Text = strings.Join(strings.Fields(s.Text), " ")
		if s.level == 1 && p.Title == "" {
			p.Title = s.Title
		}
		if s.level == 2 {
			p.Outline = append(p.Outline, s)
		}
	}
	p.Title = cmp.Or(p.Title, path.Base(source))
	b.pages[source] = p
}

// inline returns the text of an inline node without its children.
func inline(n ast.Node, content []byte) string {
	switch t := n.(type) {
	case *ast.Text:
		if t.SoftLineBreak() || t.HardLineBreak() {
			return string(t.Segment.Value(content)) + " "
		}
		return string(t.Segment.Value(content))
	case *ast.AutoLink:
		return string(t.URL(content))
	}
	return ""
}

// plain returns the text of a node and its children.
func plain(n ast.Node, content []byte) (all string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		all += inline(c, content) + plain(c, content)
	}
	return all
}

// render sets the body of a page. Links to files of the repository become links to pages of the site,
// or to the repository where the site has no page.
func (b *builder) render(p *page) {
	var hidden []ast.Node
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch t := n.(type) {
		case *ast.HTMLBlock:
			if t.HTMLBlockType == ast.HTMLBlockType2 { // comments
				hidden = append(hidden, t)
			}
		case *ast.Link:
			t.Destination = []byte(b.target(p, string(t.Destination)))
		case *ast.Image:
			t.Destination = []byte(b.target(p, string(t.Destination)))
		}
		return ast.WalkContinue, nil
	})
	for _, n := range hidden {
		n.Parent().RemoveChild(n.Parent(), n)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, b.sources[p.Source], p.tree); err != nil {
		panic(err) // a buffer takes everything
	}
	p.Body = template.HTML(focusable.Replace(out.String())) // raw HTML of the source was left out
}

// focusable lets the keyboard scroll code and tables that are wider than the page.
var focusable = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>")

// target returns the destination of a link of page p.
func (b *builder) target(p *page, destination string) string {
	u, err := url.Parse(destination)
	if err != nil || u.Scheme != "" || u.Path == "" {
		return destination
	}
	source := path.Join(path.Dir(p.Source), u.Path)
	if _, ok := b.sources[path.Join(source, "README.md")]; ok {
		source = path.Join(source, "README.md")
	}
	if _, ok := b.sources[source]; !ok {
		u.Path = source
		return repository + strings.TrimPrefix(u.String(), "./")
	}
	u.Path = strings.Repeat("../", strings.Count(p.File, "/")) + fileOf(source)
	return u.String()
}

// anchors gives headings the names that they have on GitHub.
type anchors struct{ taken map[string]int }

// Generate returns the anchor of a heading.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, string(bytes.TrimSpace(value)))
	again := a.taken[name]
	a.taken[name]++
	if again > 0 {
		name = fmt.Sprintf("%s-%d", name, again)
	}
	return []byte(name)
}

// Put does nothing: no page sets an anchor itself.
func (a *anchors) Put([]byte) {}
