package site

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// arrangement lists the shelves of the navigation with their pages. A name that ends in "/" stands
// for all pages of a folder that no shelf names, sorted by path.
var arrangement = []struct {
	title string
	pages []string
}{
	{"Start", []string{"docs/README.md", "README.md", "docs/GALLERY.md", "docs/STUDIES.md", "docs/GLOSSARY.md"}},
	{"Tutorials", []string{"docs/tutorials/four-hospitals.md", "docs/tutorials/own-table.md", "docs/tutorials/own-graph.md", "docs/tutorials/own-module.md", "docs/tutorials/paper-figure.md", "docs/tutorials/operate-a-node.md"}},
	{"How-to", []string{"docs/OPERATING.md", "docs/DESIGN.md", "docs/howto/", "docs/MODELS.md", "examples/hospitals/README.md"}},
	{"Reference", []string{"docs/commands/README.md", "docs/SPEC.md", "docs/RESULTS.md", "docs/WIRE.md", "python/README.md", "docs/PAPERS.md"}},
	{"Explanation", []string{"docs/FLOW.md", "docs/PAIRWISE.md", "docs/ADMM.md", "docs/ALLPAIRS.md", "docs/SAMPLES.md", "docs/EGRESS.md", "docs/NIST.md", "docs/COMPARISON.md", "papers/RESULTS.md"}},
	{"Project", []string{"CHANGELOG.md", "docs/VERSIONS.md", "SECURITY.md", "docs/ARCHITECTURE.md", "docs/ADDING.md", "docs/PROSE.md", "docs/decisions/", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "bench/README.md"}},
}

// unshelved reports whether a page needs no place in the navigation: example files and single
// commands, which other pages list.
func unshelved(source string) bool {
	return !strings.HasSuffix(source, ".md") || strings.HasPrefix(source, "docs/commands/")
}

// shelve returns the shelves with their pages. A page that no shelf names stands on the last one.
func (b *builder) shelve() ([]shelf, error) {
	placed := map[string]bool{}
	for _, a := range arrangement {
		for _, name := range a.pages {
			if placed[name] {
				return nil, fmt.Errorf("site: %s stands on two shelves", name)
			}
			placed[name] = true
		}
	}
	var shelves []shelf
	for _, a := range arrangement {
		s := shelf{Title: a.title}
		for _, name := range a.pages {
			found := []string{name}
			if strings.HasSuffix(name, "/") {
				found = nil
				for _, source := range slices.Sorted(maps.Keys(b.pages)) {
					if strings.HasPrefix(source, name) && !placed[source] {
						found, placed[source] = append(found, source), true
					}
				}
			}
			for _, source := range found {
				p, ok := b.pages[source]
				if !ok {
					return nil, fmt.Errorf("site: the shelf %s names %s, which does not exist", a.title, source)
				}
				p.Shelf = a.title
				s.Pages = append(s.Pages, p)
			}
		}
		shelves = append(shelves, s)
	}
	last := &shelves[len(shelves)-1]
	for _, source := range slices.Sorted(maps.Keys(b.pages)) {
		if !placed[source] && !unshelved(source) {
			b.pages[source].Shelf = last.Title
			last.Pages = append(last.Pages, b.pages[source])
		}
	}
	return shelves, nil
}
