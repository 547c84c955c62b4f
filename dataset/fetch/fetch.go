package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
)

// A Fetcher downloads files. It is safe for concurrent use on different
// files.
type Fetcher struct {
	Client   *http.Client  // must not limit the time of a whole request
	Attempts int           // how often a connection is opened for one file, at least 1
	Pause    time.Duration // between attempts
	Idle     time.Duration // how long a server may stay silent

	// Progress, if not nil, is called as bytes of a file arrive.
	Progress func(name string, done, total int64)
}

// New returns a Fetcher with patience for a bad line.
func New() *Fetcher {
	return &Fetcher{Client: &http.Client{}, Attempts: 4, Pause: time.Second, Idle: 30 * time.Second}
}

// File downloads url to path, if the file is not there yet. It resumes
// an earlier download that broke off. After any error nothing is at path.
func (f *Fetcher) File(ctx context.Context, url, path string, want dataset.KnownFile) error {
	if there, err := present(path, want); there || err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fault.Wrap(err, "cannot make the folder of "+path, "choose another folder with --dir")
	}
	part := path + ".part"
	defer removeEmpty(part)
	resumed := size(part) > 0
	if err := f.download(ctx, url, part, want); err != nil {
		return err
	}
	err := install(part, path, want)
	if errors.Is(err, errChecksum) && resumed {
		// The old part may have come from another file: once more, from nothing.
		if err := f.download(ctx, url, part, want); err != nil {
			return err
		}
		err = install(part, path, want)
	}
	return err
}

// download brings part to its full length, over several connections if need be.
func (f *Fetcher) download(ctx context.Context, url, part string, want dataset.KnownFile) error {
	for attempt := 1; ; attempt++ {
		err := f.connect(ctx, url, part, want)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fault.New("the download of "+want.Name+" was interrupted", "run the same command again: it goes on where it stopped")
		}
		var broken *brokenError
		if !errors.As(err, &broken) {
			return err
		}
		if attempt >= f.Attempts {
			return fault.New(fmt.Sprintf("%s: %v, at byte %d of %d, after %d attempts", url, broken.cause, size(part),
				want.Bytes, attempt), "run the same command again: it goes on where it stopped; or give another address with --url")
		}
		select {
		case <-ctx.Done():
		case <-time.After(f.Pause):
		}
	}
}

// brokenError is a failure that another connection may not have.
type brokenError struct{ cause error }

func (e *brokenError) Error() string { return e.cause.Error() }
func (e *brokenError) Unwrap() error { return e.cause }

// removeEmpty removes a part that holds nothing to go on from.
func removeEmpty(part string) {
	if info, err := os.Stat(part); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		_ = os.Remove(part) // an empty part does no harm
	}
}

// size returns the length of a file, 0 if there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
