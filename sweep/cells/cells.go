// Package cells runs the cells of a sweep as jobs of a queue. It sends a worker the inputs of a cell, and runs the cell
// there.
//
// A worker runs a spec that it was sent. It reads only files that were sent with the spec. Results name these files by
// their paths at the coordinator, so they are bit-identical to results computed there.
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

// Kind is the kind of the jobs.
const Kind = "cell"

// A recipe holds the inputs that all cells of a sweep share.
type recipe struct {
	Name  string   `json:"name"` // of the spec, for errors
	Dir   string   `json:"dir"`  // folder at the coordinator to which paths in the spec are relative
	Spec  string   `json:"spec"`
	Set   []string `json:"set"`
	Roots []root   `json:"roots"`
}

// A root is a file or a folder that specs name.
type root struct {
	Path  string `json:"path"` // at the coordinator
	Files []file `json:"files"`
}

// A file is a file of a root. It is the root itself if the root is a file.
type file struct {
	Name string     `json:"name"` // relative to the parent folder of the root, with slashes: the first part is the root
	Hash queue.Hash `json:"hash"`
	Size int64      `json:"size"`
}

// Limits on a recipe.
const (
	mostFiles  = 1000
	mostBytes  = 64 << 30 // of all files
	mostRecipe = 16 << 20
	mostRoots  = 10_000
)

// A putter stores data by content.
type putter interface {
	Put(ctx context.Context, data []byte) (queue.Hash, error)
	PutFile(ctx context.Context, path string) (queue.Hash, int64, error)
}

// Send stores the inputs of the cells of a sweep and returns one job a cell. path is the spec. set applies to every
// cell, and settings[i] to cell i.
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

// sendFiles stores every file that a cell reads. It skips a cell whose spec is refused, because the worker refuses it
// too.
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

// Accept converts the callback of a sweep to that of a queue. A result that is none is refused.
func Accept(accept Heard) Heard {
	return func(i int, worker string, answer []byte) error {
		err := accept(i, worker, answer)
		if errors.Is(err, sweep.ErrNoResult) {
			return queue.Refuse(err)
		}
		return err
	}
}

// local holds the paths of a recipe's files on the worker's machine.
type local struct {
	recipe
	at map[string]string // by path at the coordinator
}

// load returns the spec of a cell with local file paths. It fails on a file that was not sent.
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

// home replaces local file names in a text by those at the coordinator. written encodes a name as it stands in the
// text.
func (l *local) home(text string, written func(name string) string) string {
	var pairs []string
	for path, here := range l.at {
		pairs = append(pairs, written(here), written(path))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func plain(name string) string { return name }

// inJSON returns a text as it stands inside a JSON string.
func inJSON(text string) string {
	j, err := json.Marshal(text)
	if err != nil {
		panic("cells: " + err.Error()) // a text
	}
	return string(j[1 : len(j)-1])
}
