package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
)

// place returns the actual destination of a result for dir: an absolute path
// with links followed. So a link stays, and its target is written.
func place(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fault.New(fmt.Sprintf("output directory %s is a link to nothing", dir), "make the folder it points to, or remove the link")
	}
	return path, nil
}

// tryParent creates and removes a temporary folder as writing does, in the
// nearest existing folder above path.
func tryParent(path string) error {
	tmp, err := tempBeside(path, nearest(filepath.Dir(path)))
	if err != nil {
		return err
	}
	return os.Remove(tmp)
}

func tempBeside(path, parent string) (string, error) {
	return os.MkdirTemp(parent, "."+filepath.Base(path)+".tmp-")
}

// nearest returns the folder itself, or the first one above it that exists.
func nearest(folder string) string {
	for {
		if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// makeParent makes a folder and those above it. undo removes the new ones if
// they are still empty.
func makeParent(folder string) (undo func(), err error) {
	var made []string
	for there := nearest(folder); folder != there; folder = filepath.Dir(folder) {
		made = append(made, folder)
	}
	undo = func() {
		for _, f := range made {
			_ = os.Remove(f) // it may no longer be empty
		}
	}
	if len(made) == 0 {
		return undo, nil
	}
	return undo, os.MkdirAll(made[0], 0o777)
}
