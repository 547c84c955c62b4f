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
	if path := OwnFile(s); path != "" {
		moved.Algorithm.Own = s.Algorithm.Own.(spec.OwnFile).WithFile(marked(relative(dir, path)))
	}
	if path := EarlierFile(s); path != "" {
		moved.Model.Earlier = &spec.Earlier{File: relative(dir, path)}
	}
	return &moved
}

// Files returns the paths of the files and folders that a spec names. It has "" for a key that names none.
func Files(s *spec.Spec) []string {
	return []string{s.Data.Path, GraphFile(s), WeightsFile(s), OwnFile(s), EarlierFile(s)}
}

// OwnFile returns the path of the file that a key of the spec's kind names, or "" if none does.
func OwnFile(s *spec.Spec) string {
	own, ok := s.Algorithm.Own.(spec.OwnFile)
	if !ok || own.File() == "" || filepath.IsAbs(own.File()) {
		if ok {
			return own.File()
		}
		return ""
	}
	return filepath.Join(s.Dir, own.File())
}

// resolveOwnFile makes that path, which is relative to the spec's folder, absolute.
func resolveOwnFile(s *spec.Spec) {
	if path := OwnFile(s); path != "" && s.Dir != "" {
		s.Algorithm.Own = s.Algorithm.Own.(spec.OwnFile).WithFile(path)
	}
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
