package web

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Limits of a search through the folders.
const (
	mostDeep    = 6      // folders below a place
	mostFolders = 20_000 // folders that are read
	mostEntries = 5_000
	mostInOne   = 20_000 // names in one folder
)

// A search lists the entries in the folders.
type search struct {
	found   []Entry
	folders int
	notes   []string
}

// find searches the places. It follows no links below them.
func find(places []place) (found []Entry, notes []string) {
	s := &search{}
	for _, p := range places {
		root, err := p.open()
		if err != nil {
			s.notes = append(s.notes, fmt.Sprintf("%s: %v", p.dir, short(err)))
			continue
		}
		s.folder(root.FS(), below{p, "."}, 0)
		_ = root.Close() // it was only read
	}
	slices.SortStableFunc(s.found, func(a, b Entry) int {
		return cmp.Or(-a.Changed.Compare(b.Changed), strings.Compare(a.Place, b.Place))
	})
	return s.found, s.notes
}

// folder adds a folder to the list if its kind is known, and otherwise
// searches the folders in it.
func (s *search) folder(fsys fs.FS, at below, deep int) {
	if s.folders++; s.folders > mostFolders || len(s.found) >= mostEntries {
		if s.folders == mostFolders+1 || len(s.found) == mostEntries {
			s.notes = append(s.notes, "there is more in the folders than is listed: start with a folder further down")
		}
		return
	}
	names, err := list(fsys, at.path)
	if err != nil {
		s.notes = append(s.notes, fmt.Sprintf("%s: %v", at.at(""), short(err)))
		return
	}
	if kind, mark := kindOf(names); kind != "" {
		s.note(at, kind, mark, names)
		if kind != Study && kind != Other {
			return
		}
	}
	for name, e := range names {
		switch {
		case e.IsDir() && !strings.HasPrefix(name, ".") && deep < mostDeep:
			s.folder(fsys, below{at.place, path.Join(at.path, name)}, deep+1)
		case isProgress(name) && e.Type().IsRegular():
			s.progress(at, name, e)
		}
	}
}

// list returns the names in a folder.
func list(fsys fs.FS, dir string) (map[string]fs.DirEntry, error) {
	file, err := fsys.Open(dir)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	folder, ok := file.(fs.ReadDirFile)
	if !ok {
		return nil, fmt.Errorf("%s is no folder", path.Base(dir))
	}
	entries, err := folder.ReadDir(mostInOne)
	if len(entries) == 0 && err != nil && err.Error() != "EOF" {
		return nil, err
	}
	names := map[string]fs.DirEntry{}
	for _, e := range entries {
		names[e.Name()] = e
	}
	return names, nil
}

// marks lists the files that identify kinds. The first one that exists decides.
var marks = []struct {
	file string
	kind Kind
}{
	{"ledger.db", Node}, {"joined.json", Node}, {"findings.json", Study}, {"sweep.csv", Sweep}, {"cells", Sweep}, {"result.json", Run},
}

func kindOf(names map[string]fs.DirEntry) (kind Kind, mark string) {
	for _, m := range marks {
		if e := names[m.file]; e != nil && (e.Type().IsRegular() || m.file == "cells" && e.IsDir()) {
			return m.kind, m.file
		}
	}
	return "", ""
}

// note adds a folder to the list.
func (s *search) note(at below, kind Kind, mark string, names map[string]fs.DirEntry) {
	e := Entry{ID: idOf(at), Kind: kind, Place: at.label(), Name: path.Base(at.label()), at: at, Reading: true}
	for _, name := range []string{mark, "sweep.csv", "cells", "result.json", "report.json", "ledger.db-wal"} {
		if names[name] == nil {
			continue
		}
		info, err := names[name].Info()
		if err != nil {
			continue
		}
		if e.Changed.Before(info.ModTime()) {
			e.Changed = info.ModTime()
		}
		if name == mark {
			e.mark = stamp{info.Size(), info.ModTime().UnixNano()}
		}
	}
	e.Changed = e.Changed.UTC().Truncate(time.Millisecond)
	s.found = append(s.found, e)
}
