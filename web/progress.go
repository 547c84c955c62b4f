package web

import (
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A run that is being made has no folder yet, which appears whole or not at all. Beside
// it is a file that says how far it is, until it is there.
const (
	progressStart = "."
	progressEnd   = ".progress.json"
)

// ProgressFile is that file of a run that is going to be in folder dir.
func ProgressFile(dir string) string {
	dir = filepath.Clean(dir)
	return filepath.Join(filepath.Dir(dir), progressStart+filepath.Base(dir)+progressEnd)
}

func isProgress(name string) bool {
	return strings.HasPrefix(name, progressStart) && strings.HasSuffix(name, progressEnd) && len(name) > len(progressStart)+len(progressEnd)
}

// Progress is what it holds.
type Progress struct {
	Name    string    `json:"name"`
	Stage   string    `json:"stage"`
	Done    int       `json:"done"`
	Total   int       `json:"total"` // 0: the stage does not count
	Unit    string    `json:"unit"`  // steps, if not said
	Started time.Time `json:"started"`
	Written time.Time `json:"written"`
	Step    []int     `json:"step"` // with Loss, the curve so far
	Loss    []float64 `json:"loss"`
}

// progress adds a run that is being made to the list.
func (s *search) progress(at below, name string, of fs.DirEntry) {
	info, err := of.Info()
	if err != nil {
		return
	}
	folder := below{at.place, path.Join(at.path, strings.TrimSuffix(strings.TrimPrefix(name, progressStart), progressEnd))}
	s.found = append(s.found, Entry{
		ID: idOf(below{at.place, path.Join(at.path, name)}), Kind: Running, Place: folder.label(), Name: path.Base(folder.path), at: below{at.place, path.Join(at.path, name)},
		Changed: info.ModTime().UTC().Truncate(time.Millisecond), mark: stamp{info.Size(), info.ModTime().UnixNano()}, Reading: true,
	})
}

// readProgress reads the file that an entry of kind Running is of.
func readProgress(e Entry) (*Progress, error) {
	text, err := below{e.at.place, path.Dir(e.at.path)}.read(path.Base(e.at.path), mostSmall)
	if err != nil {
		return nil, err
	}
	p := &Progress{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, err
	}
	p.Name, p.Stage, p.Unit = clipped(p.Name, mostName), clipped(p.Stage, mostName), clipped(p.Unit, 40)
	if len(p.Step) != len(p.Loss) {
		p.Step, p.Loss = nil, nil
	}
	return p, nil
}
