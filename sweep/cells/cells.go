// Package cells are the cells of a sweep as jobs of a queue: what a worker must know to run one, and how it does.
//
// A worker runs a spec that somebody sent. It reads no file that the spec names, but files that were sent with it, and its
// results name those as the coordinator knows them: so they are the same bits as at home.
package cells

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/sweep"
)

// Kind is that of the jobs.
const Kind = "cell"

// A recipe is what all cells of a sweep share.
type recipe struct {
	Name  string   `json:"name"` // of the spec, in errors
	Dir   string   `json:"dir"`  // that paths in it are relative to, at home
	Spec  string   `json:"spec"`
	Set   []string `json:"set"`
	Roots []root   `json:"roots"`
}

// A root is a file or a folder that specs name.
type root struct {
	Path  string `json:"path"` // at home
	Files []file `json:"files"`
}

// A file is one of a root: of a root that is a file, the only one.
type file struct {
	Name string     `json:"name"` // below the folder that the root lies in, with slashes: its first part is the root
	Hash queue.Hash `json:"hash"`
	Size int64      `json:"size"`
}

// Limits of what is sent.
const (
	mostFiles  = 1000
	mostBytes  = 64 << 30 // of all files
	mostRecipe = 16 << 20
	mostRoots  = 10_000
)

// A putter keeps data by content.
type putter interface {
	Put(ctx context.Context, data []byte) (queue.Hash, error)
	PutFile(ctx context.Context, path string) (queue.Hash, int64, error)
}

// Send puts in what the cells of a sweep need, and makes them jobs. The spec is at path, set holds in every
// cell, and settings in each.
func Send(ctx context.Context, to putter, path string, set []string, settings [][]string) ([]*queue.Job, error) {
	text, err := regular.Read(path, spec.Largest)
	if err != nil {
		return nil, fault.Wrap(err, "cannot read the spec", "check its name")
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	r := recipe{Name: path, Dir: filepath.Dir(whole), Spec: string(text), Set: set}
	if r.Roots, err = sendFiles(ctx, to, path, set, settings); err != nil {
		return nil, err
	}
	shared, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if len(shared) > mostRecipe {
		return nil, fault.New(fmt.Sprintf("spec and names of files come to %d bytes", len(shared)), "put the data in a folder of their own")
	}
	h, err := to.Put(ctx, shared)
	if err != nil {
		return nil, err
	}
	jobs := make([]*queue.Job, len(settings))
	for i, own := range settings {
		body, err := json.Marshal(own)
		if err != nil {
			return nil, err
		}
		jobs[i] = &queue.Job{Kind: Kind, Setup: h, Body: body}
	}
	return jobs, nil
}

// sendFiles puts in every file that a cell reads. A cell whose spec is refused here is refused where it runs.
func sendFiles(ctx context.Context, to putter, path string, set []string, settings [][]string) (roots []root, err error) {
	seen, files, bytes := map[string]bool{}, 0, int64(0)
	for _, own := range settings {
		s, err := experiment.Load(path, append(append([]string{}, set...), own...)...)
		if err != nil {
			continue
		}
		for _, name := range experiment.Files(s) {
			if _, err := os.Stat(name); name == "" || seen[name] || err != nil {
				continue
			}
			seen[name] = true
			r, err := sendRoot(ctx, to, name, &files, &bytes)
			if err != nil {
				return nil, err
			}
			roots = append(roots, r)
		}
	}
	return roots, nil
}

func sendRoot(ctx context.Context, to putter, path string, files *int, bytes *int64) (root, error) {
	r := root{Path: path}
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(filepath.Dir(path), name)
		if err != nil {
			return err
		}
		h, size, err := to.PutFile(ctx, name)
		if err != nil {
			return fault.Wrap(err, "cannot send "+name, "put the data in a folder of their own")
		}
		if *files, *bytes = *files+1, *bytes+size; *files > mostFiles || *bytes > mostBytes {
			return fault.New(fmt.Sprintf("%s holds more than can be sent (%d files, %d GB)", path, mostFiles, mostBytes>>30), "put the data in a folder of their own")
		}
		r.Files = append(r.Files, file{filepath.ToSlash(below), h, size})
		return nil
	})
	return r, err
}

// Accept makes the callbacks of a sweep those of a queue.
func Accept(accept Heard) Heard {
	return func(i int, worker string, answer []byte) error {
		err := accept(i, worker, answer)
		if errors.Is(err, sweep.ErrNoResult) {
			return queue.Refuse(err)
		}
		return err
	}
}

// local is where the files of a recipe lie on a worker's machine.
type local struct {
	recipe
	at map[string]string // by path at home
}

// load is the spec of a cell, with files where they lie here. A file that was not sent is none.
func (l *local) load(own []string) (*spec.Spec, error) {
	s, err := experiment.Parse([]byte(l.Spec), l.Name, append(append([]string{}, l.Set...), own...)...)
	if err != nil {
		return nil, err
	}
	if path := s.Data.Path; path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.Dir, path)
		}
		if s.Data.Path, err = l.find(path, "data.path"); err != nil {
			return nil, err
		}
	}
	s.Dir = l.Dir
	if path := experiment.GraphFile(s); path != "" && !s.Federated() {
		if s.Graph, err = l.find(path, "graph"); err != nil {
			return nil, err
		}
	}
	if path := experiment.WeightsFile(s); path != "" {
		if s.Matrix, err = l.find(path, "weights"); err != nil {
			return nil, err
		}
	}
	if path := experiment.OwnFile(s); path != "" {
		here, err := l.find(path, "algorithm")
		if err != nil {
			return nil, err
		}
		s.Algorithm.Own = s.Algorithm.Own.(spec.OwnFile).WithFile(here)
	}
	s.Dir = ""
	return s, nil
}

func (l *local) find(path, key string) (string, error) {
	if here := l.at[path]; here != "" {
		return here, nil
	}
	return "", fault.New(fmt.Sprintf("%s: %s was not there when the sweep was given out", key, path), "check the path")
}

// home replaces names of files here by what they are at home, as they are written in a text.
func (l *local) home(text string, written func(name string) string) string {
	var pairs []string
	for path, here := range l.at {
		pairs = append(pairs, written(here), written(path))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func plain(name string) string { return name }

// inJSON is a text inside of a JSON string.
func inJSON(text string) string {
	j, err := json.Marshal(text)
	if err != nil {
		panic("cells: " + err.Error()) // a text
	}
	return string(j[1 : len(j)-1])
}
