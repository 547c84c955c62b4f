package cells

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
)

// A Runner runs cells. It keeps received files in a folder. Other Runners may share the folder, and no other user
// may write there.
type Runner struct {
	Folder string

	mu    sync.Mutex
	known map[queue.Hash]*local
}

// Run implements queue.Handler.
func (r *Runner) Run(ctx context.Context, data queue.Data, j queue.Job) ([]byte, error) {
	var own []string
	if err := json.Unmarshal(j.Body, &own); err != nil {
		return nil, fmt.Errorf("a cell without settings: %w", err)
	}
	l, err := r.prepare(ctx, data, j.Setup)
	if err != nil {
		return nil, err
	}
	text, err := l.run(ctx, own)
	if err != nil {
		return nil, fault.New(l.home(err.Error(), plain), l.home(fault.Hint(err), plain))
	}
	return []byte(l.home(string(text), inJSON)), nil
}

func (l *local) run(ctx context.Context, own []string) ([]byte, error) {
	s, err := l.load(own)
	if err != nil {
		return nil, err
	}
	priced, err := experiment.Prepare(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	bundle, err := priced.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(bundle.Result)
}

// prepare fetches the files of a recipe.
func (r *Runner) prepare(ctx context.Context, data queue.Data, h queue.Hash) (*local, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.known[h]; l != nil {
		return l, nil
	}
	text, err := data.Get(ctx, h, mostRecipe)
	if err != nil {
		return nil, err
	}
	l := &local{at: map[string]string{}}
	if err := json.Unmarshal(text, &l.recipe); err != nil {
		return nil, fmt.Errorf("a recipe that is none: %w", err)
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	for k, one := range l.Roots {
		folder := filepath.Join(r.Folder, string(h), strconv.Itoa(k))
		for _, f := range one.Files {
			if err := r.place(ctx, data, f, filepath.Join(folder, filepath.FromSlash(f.Name))); err != nil {
				return nil, err
			}
		}
		l.at[one.Path] = filepath.Join(folder, filepath.FromSlash(one.Files[0].top()))
	}
	if r.known == nil {
		r.known = map[queue.Hash]*local{}
	}
	r.known[h] = l
	return l, nil
}

// check refuses paths that lead out of the folder, and recipes above the limits.
func (l *local) check() error {
	files, bytes := 0, int64(0)
	if len(l.Roots) > mostRoots {
		return fmt.Errorf("a recipe with %d files", len(l.Roots))
	}
	for _, one := range l.Roots {
		if len(one.Files) == 0 || one.Path == "" {
			return errors.New("a recipe with a file that has no name")
		}
		for _, f := range one.Files {
			if err := f.check(); err != nil {
				return err
			}
			if f.top() != one.Files[0].top() {
				return fmt.Errorf("a recipe with the file %.80q beside %.80q", f.Name, one.Files[0].Name)
			}
			if files, bytes = files+1, bytes+f.Size; files > mostFiles || bytes > mostBytes {
				return fmt.Errorf("a recipe with more than %d files or %d bytes", mostFiles, mostBytes)
			}
		}
	}
	return nil
}

// top returns the first part of a name.
func (f file) top() string {
	first, _, _ := strings.Cut(f.Name, "/")
	return first
}

func (f file) check() error {
	name := filepath.FromSlash(f.Name)
	switch {
	case !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." || strings.ContainsAny(f.Name, "\x00\\"):
		return fmt.Errorf("a recipe with a file called %.80q", f.Name)
	case len(f.Name) > 1000:
		return fmt.Errorf("a recipe with a name of %d bytes", len(f.Name))
	case f.Size < 0 || f.Size > mostBytes:
		return fmt.Errorf("a recipe with a file of %d bytes", f.Size)
	case !f.Hash.Valid():
		return fmt.Errorf("a recipe with the hash %.80q", string(f.Hash))
	}
	return nil
}

// place stores a file at path. All processes that share the folder fetch it only once.
func (r *Runner) place(ctx context.Context, data queue.Data, f file, path string) error {
	unlock, err := lock(filepath.Join(r.Folder, "lock"))
	if err != nil {
		return fault.Wrap(err, "cannot work in "+r.Folder, "give a folder that can be written with --dir")
	}
	defer unlock()
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == f.Size {
		if queue.FileIs(path, f.Hash) {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fault.Wrap(err, "cannot keep data in "+r.Folder, "give a folder that can be written with --dir")
	}
	return data.GetFile(ctx, f.Hash, f.Size, path)
}
