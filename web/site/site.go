package site

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// Options are the sources of a site.
type Options struct {
	Documents fs.FS             // Markdown (.md), example files (.yaml, .py), pictures (.svg, .png); all other files are left out
	Generated map[string]string // further Markdown pages, by path as in Documents
	Style     []byte            // the style sheet that the site's own extends
	Icon      []byte            // SVG
	Version   string            // of the program, shown on every page
}

// A Site holds the files of a site by their path.
type Site struct {
	files map[string][]byte
	made  time.Time
}

var (
	//go:embed page.html
	pageText string
	//go:embed site.css
	style []byte
	//go:embed site.js
	script []byte

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// A shelf is a part of the navigation.
type shelf struct {
	Title string
	Pages []*page
}

// view is the data of the page template.
type view struct {
	*page
	Root, Version string // Root is the relative path to the top of the site
	Shelves       []shelf
	Policy        string
}

// policy is the Content-Security-Policy of a page that is read from a disk or another server. A
// policy in the page cannot forbid frames; package web does.
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'"

// New renders a site. It returns an error if a page stands on two shelves of the navigation, or if a
// shelf names a page that does not exist.
func New(o Options) (*Site, error) {
	b := builder{sources: map[string][]byte{}, pages: map[string]*page{}}
	if err := b.read(o); err != nil {
		return nil, err
	}
	shelves, err := b.shelve()
	if err != nil {
		return nil, err
	}
	s := &Site{files: map[string][]byte{
		"site/base.css": o.Style, "site/icon.svg": o.Icon, "site/site.css": style, "site/site.js": script,
	}}
	for _, source := range slices.Sorted(maps.Keys(b.pages)) {
		p := b.pages[source]
		b.render(p)
		var out bytes.Buffer
		v := view{page: p, Root: strings.Repeat("../", strings.Count(p.File, "/")), Version: o.Version, Shelves: shelves, Policy: policy}
		if err := pageTemplate.Execute(&out, v); err != nil {
			return nil, err
		}
		s.files[p.File] = out.Bytes()
	}
	for name, content := range b.sources {
		if picture(name) {
			s.files[fileOf(name)] = content
		}
	}
	s.files["site/index.js"], err = b.index()
	return s, err
}

// index returns the search index as a script. A script can be read from a disk too, which JSON cannot.
func (b *builder) index() ([]byte, error) {
	type entry struct {
		File     string    `json:"file"`
		Title    string    `json:"title"`
		Sections []section `json:"sections"`
	}
	var all []entry
	for _, source := range slices.Sorted(maps.Keys(b.pages)) {
		p := b.pages[source]
		all = append(all, entry{p.File, p.Title, p.sections})
	}
	text, err := json.Marshal(all)
	return slices.Concat([]byte("hearsayIndex("), text, []byte(");\n")), err
}

// Files returns the paths of the site, sorted.
func (s *Site) Files() []string { return slices.Sorted(maps.Keys(s.files)) }

// ServeHTTP serves the file at the path of the request, and index.html of a folder.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" || strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	content, ok := s.files[name]
	if !ok {
		http.Error(w, "there is no such page of the documentation", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, s.made, bytes.NewReader(content))
}

// Write writes the site into the folder dir, which it creates if it does not exist. Files of the same
// names are replaced, and others are kept.
func (s *Site) Write(dir string) error {
	for _, name := range s.Files() {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		err := regular.Write(to, 0o644, func(w io.Writer) error { _, err := w.Write(s.files[name]); return err })
		if err != nil {
			return fmt.Errorf("%s: %w", to, err)
		}
	}
	return nil
}
