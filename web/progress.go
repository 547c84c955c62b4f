package web

import (
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A progress file reports the progress of a run. It lies beside the run's folder, which
// appears complete or not at all, and is removed once the folder exists.
const (
	progressStart = "."
	progressEnd   = ".progress.json"
)

// ProgressFile returns the path of the progress file of a run with folder dir.
func ProgressFile(dir string) string {
	dir = filepath.Clean(dir)
	return filepath.Join(filepath.Dir(dir), progressStart+filepath.Base(dir)+progressEnd)
}

func isProgress(name string) bool {
	return strings.HasPrefix(name, progressStart) && strings.HasSuffix(name, progressEnd) && len(name) > len(progressStart)+len(progressEnd)
}

// Progress is the content of a progress file.
type Progress struct {
	Name    string    `json:"name"`
	Stage   string    `json:"stage"`
	Done    int       `json:"done"`
	Total   int       `json:"total"` // 0: the stage does not count
	Unit    string    `json:"unit"`  // default: steps
	Started time.Time `json:"started"`
	Written time.Time `json:"written"`
	Step    []int     `json:"step"` // with Loss, the curve so far
	Loss    []float64 `json:"loss"`
}

// progress adds an unfinished run to the list.
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

// readProgress reads the progress file of an entry of kind Running.
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
