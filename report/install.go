package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// install makes the complete directory tmp appear as dir and removes the
// earlier dir. If the system can exchange two names, readers always see dir.
// Otherwise dir is absent between two renames, and the second is undone if it
// fails.
func install(tmp, dir string) error {
	err := os.Remove(dir) // removes an empty directory only
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return renameDir(tmp, dir)
	}
	if exchange(tmp, dir) != nil {
		return replace(tmp, dir)
	}
	if err := regular.SyncFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	return os.RemoveAll(tmp) // now the earlier result
}

// replace moves dir aside and tmp to dir, and removes the former.
func replace(tmp, dir string) error {
	old := tmp + ".old"
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := renameDir(tmp, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

func renameDir(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return regular.SyncFolder(filepath.Dir(to))
}
