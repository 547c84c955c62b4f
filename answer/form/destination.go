package form

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/report"
)

// A Destination is the path of an answer: a page that ends in .html, or a folder for the result and the page. "" writes neither.
type Destination string

// Check returns an error if no answer can be written to the destination.
func (d Destination) Check() error {
	switch {
	case d == "":
		return nil
	case !strings.HasSuffix(string(d), ".html"):
		return report.CheckDir(string(d))
	}
	if info, err := os.Stat(string(d)); err == nil && !info.Mode().IsRegular() {
		return fault.New(fmt.Sprintf("cannot write %s: it is there, and no file", string(d)), "choose another name for the page")
	}
	if err := TryFolder(filepath.Dir(string(d))); err != nil {
		return fault.Wrap(err, "cannot write "+string(d), "check that the folder exists and is writable")
	}
	return nil
}

// TryFolder makes a file in a folder and removes it. An unwritable folder is thus reported before the work and not after it.
func TryFolder(folder string) error {
	try, err := os.CreateTemp(folder, ".try-*")
	if err != nil {
		return err
	}
	return errors.Join(try.Close(), os.Remove(try.Name()))
}

// Write writes the answer and its page to the destination.
func (d Destination) Write(ctx context.Context, say func(string), answer any, page func(io.Writer) error) error {
	if d == "" {
		return nil
	}
	say("writing " + string(d))
	if !strings.HasSuffix(string(d), ".html") {
		return report.WriteOther(ctx, string(d), answer, page)
	}
	if err := regular.Write(string(d), 0o644, page); err != nil {
		return fault.Wrap(err, "cannot write "+string(d), "check that the folder exists, is writable and has room")
	}
	return nil
}
