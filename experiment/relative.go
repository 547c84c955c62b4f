package experiment

import (
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/spec"
)

// RelativeTo returns a copy of the spec whose files are named relative to the folder dir, as a
// spec that is written there must name them. A file on another volume keeps its absolute path.
// An empty dir stands for the working folder.
func RelativeTo(s *spec.Spec, dir string) *spec.Spec {
	moved := *s
	moved.Data.Path = relative(dir, s.Data.Path)
	if path := GraphFile(s); path != "" {
		moved.Graph = marked(relative(dir, path))
	}
	if path := WeightsFile(s); path != "" {
		moved.Weights = marked(relative(dir, path))
	}
	return &moved
}

// GraphFile returns the path of the file that a spec's graph is in, or "" if a generator or the
// participants' edges make the graph, or there is none.
func GraphFile(s *spec.Spec) string {
	switch {
	case s.Graph == "" || s.Graph == noGraph || s.Graph == spec.EdgesGraph || gen.IsExpression(s.Graph):
		return ""
	case filepath.IsAbs(s.Graph):
		return s.Graph
	}
	return filepath.Join(s.Dir, s.Graph)
}

// relative names the file path from the folder dir. A path that is already relative stays.
func relative(dir, path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(from); err == nil {
		from = real // ".." of a link leads out of the folder that it links to
	}
	name, err := filepath.Rel(from, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(name)
}

// marked makes a name without a folder one that is not taken for a generator or a rule.
func marked(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "./" + name
}
