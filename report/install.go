package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// install makes the complete directory tmp appear as dir, and removes what was
// there. Where the system can exchange two names, no reader ever sees dir
// absent; elsewhere it is absent between two renames, the second of which is
// undone if it fails.
func install(tmp, dir string) error {
	err := os.Remove(dir) // only ever removes an empty directory
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

// replace moves dir aside, tmp to dir, and removes the former.
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
