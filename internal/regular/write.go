package regular

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes the output of write to path, whole or not at all, and syncs it to disk. It uses a temporary file beside path. An
// existing file at path must be regular.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if err := check(os.Stat(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(err, path)
	}
	folder := filepath.Dir(path)
	temp, err := os.CreateTemp(folder, ".partial-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // no longer there once renamed
	buffered := bufio.NewWriter(temp)
	if err := errors.Join(write(buffered), buffered.Flush(), temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return SyncFolder(folder)
}

// Writable returns the error that Write would return before it writes, for callers who compute for long before they write.
func Writable(path string) error {
	if err := check(os.Stat(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(err, path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".partial-*")
	if err != nil {
		return err
	}
	return errors.Join(temp.Close(), os.Remove(temp.Name()))
}

// SyncFolder makes the names in a folder durable. ErrInvalid and ErrPermission are no failure, because they say that the system
// cannot sync a folder.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := folder.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return errors.Join(err, folder.Close())
	}
	return folder.Close()
}
