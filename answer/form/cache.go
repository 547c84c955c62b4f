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

// A Cache is the value of --cache: a folder, NoCache, or "" for the default.
type Cache string

// NoCache turns the cache off. CacheVariable is the environment variable that names the folder if no
// flag does. mostCache is the largest size of the default folder, in bytes.
const (
	NoCache       = "none"
	CacheVariable = "HEARSAY_CACHE"
	mostCache     = 2 << 30
	mostRows      = 3 << 30 // bytes of encoded rows; they have a folder of their own, so that they displace nothing else
)

// Keeper returns the cache and its folder: that of the flag, of the environment, or else the user's cache folder. It returns
// nil if the cache is off or the user has no cache folder. A named folder is created and has no size limit.
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

// Watch returns a watch that shows the progress of accountants on stderr and keeps their results in the cache.
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

// Watched returns ctx with the watch of Watch. It also has encoded rows kept if there is a cache.
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

// rows returns the cache of encoded rows, a sub-folder of the cache. It returns nil if there is no cache.
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

// named returns the folder that the flag or else the environment names.
func (f Cache) named() string { return cmp.Or(string(f), os.Getenv(CacheVariable)) }

// Plain returns a watch for a real participant. It uses a cache only if the flag names one, because a
// participant must take no number from a file that nobody named.
func (f Cache) Plain(ctx context.Context, stderr io.Writer) (*walkpath.Watch, error) {
	if f != "" {
		return f.Watch(ctx, stderr)
	}
	p := terminal.PulseOf(stderr)
	return &walkpath.Watch{Context: ctx, Stage: p.Enter, Progress: p.Progress}, nil
}
