package form

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/kept"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Cache is --cache.
type Cache string

// NoCache says that nothing is to be kept, cacheVariable is the environment variable that
// says where if no flag does, and mostCache is how many bytes the user's own folder may
// come to.
const (
	NoCache       = "none"
	CacheVariable = "HEARSAY_CACHE"
	mostCache     = 2 << 30
	mostRows      = 3 << 30 // of encoded rows, which lie in a folder of their own and push out nothing else
)

// Keeper is what the flag, the environment or the user's own folder keeps; nil: nothing.
func (f Cache) Keeper(say io.Writer) (*kept.Folder, string, error) {
	folder := f.named()
	switch folder {
	case NoCache:
		return nil, "", nil
	case "":
		own, err := os.UserCacheDir()
		if err != nil {
			return nil, "", nil // it has none
		}
		folder = filepath.Join(own, "hearsay")
		return kept.In(folder, mostCache, say), folder, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, "", fault.Wrap(err, "cannot make the cache "+folder, "give a folder that can be written, or none")
	}
	return kept.In(folder, 0, say), folder, nil
}

// Watch follows the accountants of a command: it shows progress, and keeps what they find.
func (f Cache) Watch(ctx context.Context, stderr io.Writer) (*walkpath.Watch, error) {
	p := terminal.PulseOf(stderr)
	w := &walkpath.Watch{Context: ctx, Stage: p.Enter, Progress: p.Progress}
	keeper, folder, err := f.Keeper(stderr)
	if err != nil {
		return nil, err
	}
	if keeper == nil {
		p.Hint = func() string {
			return "nothing was written; run it again to start over, with --cache FOLDER to keep what accounting finds"
		}
		return w, nil
	}
	p.Hint = func() string {
		if !keeper.Used() {
			return ""
		}
		return fmt.Sprintf("what accounting found is kept in %s; the same command goes on from there", folder)
	}
	w.Keeper = keeper
	return w, nil
}

// Watched is the context of a command whose accountants are followed, and whose encoded rows are kept.
func (f Cache) Watched(ctx context.Context, stderr io.Writer) (context.Context, error) {
	watch, err := f.Watch(ctx, stderr)
	if err != nil {
		return ctx, err
	}
	if rows := f.rows(stderr); rows != nil {
		ctx = experiment.KeepingRows(ctx, rows)
	}
	return experiment.Watching(ctx, watch), nil
}

// rows is the keeper of encoded rows, nil where nothing is kept.
func (f Cache) rows(say io.Writer) *kept.Folder {
	_, folder, err := f.Keeper(say)
	if err != nil || folder == "" {
		return nil
	}
	most := int64(mostRows)
	if f.named() != "" {
		most = 0
	}
	return kept.In(filepath.Join(folder, "rows"), most, say)
}

// named is the folder that a flag or the environment names.
func (f Cache) named() string { return cmp.Or(string(f), os.Getenv(CacheVariable)) }

// Plain follows accountants where nothing is kept unless the flag says so: a real
// participant takes no number from a file that nobody named.
func (f Cache) Plain(ctx context.Context, stderr io.Writer) (*walkpath.Watch, error) {
	if f != "" {
		return f.Watch(ctx, stderr)
	}
	p := terminal.PulseOf(stderr)
	return &walkpath.Watch{Context: ctx, Stage: p.Enter, Progress: p.Progress}, nil
}
