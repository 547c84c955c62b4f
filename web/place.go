package web

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Limits of what is read of one file.
const (
	mostResult = 64 << 20  // bytes of a result.json
	mostSmall  = 4 << 20   // of a spec, a status, a list of names
	mostTable  = 64 << 20  // of a CSV file
	mostArrays = 1 << 30   // of all arrays of a run, unpacked
	freeArrays = 400 << 20 // of these, whatever the size of their file: two accountants and distances of 4096 nodes
	mostTimes  = 64        // beyond these, for a byte of their file
	mostCell   = 64 << 20  // of a cell of a sweep
)

// A place is one of the folders that are shown.
type place struct {
	dir string // as it was given
}

// open is the folder, below which alone files can be opened: a link that leads out of it
// cannot be followed.
func (p place) open() (*os.Root, error) { return os.OpenRoot(p.dir) }

// below is a folder in a place.
type below struct {
	place
	path string // with slashes, "." for the place itself
}

// at is a file of the folder, as people call it.
func (b below) at(name string) string { return filepath.Join(b.dir, filepath.FromSlash(b.path), name) }

// read is the regular file called name in the folder, of at most limit bytes.
func (b below) read(name string, limit int64) ([]byte, error) {
	file, err := b.file(name, limit)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is longer than %d bytes", name, limit)
	}
	return text, err
}

// file opens a regular file of at most limit bytes.
func (b below) file(name string, limit int64) (*os.File, error) {
	root, err := b.open()
	if err != nil {
		return nil, short(err)
	}
	defer root.Close()
	full := path.Join(b.path, name)
	// Looking comes first: opening a pipe waits for somebody to write to it.
	if err := regularFile(name, limit)(root.Stat(full)); err != nil {
		return nil, err
	}
	file, err := root.Open(full)
	if err != nil {
		return nil, short(err)
	}
	if err := regularFile(name, limit)(file.Stat()); err != nil { // it may have been replaced in between
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// regularFile says what is no regular file of at most limit bytes.
func regularFile(name string, limit int64) func(fs.FileInfo, error) error {
	return func(info fs.FileInfo, err error) error {
		switch {
		case err != nil:
			return short(err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is no regular file", name)
		case info.Size() > limit:
			return fmt.Errorf("%s has %d bytes; up to %d are read here", name, info.Size(), limit)
		}
		return nil
	}
}

// short is an error of the file system without its path, which is said elsewhere.
func short(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Errorf("%s: %w", path.Base(filepath.ToSlash(at.Path)), at.Err)
	}
	return err
}

// A stamp tells a version of a file from others; the zero stamp is of no file.
type stamp struct {
	size int64
	time int64 // nanoseconds
}

// stampOf is that of a file in the folder, false where there is no such regular file.
func (b below) stampOf(name string) (stamp, bool) {
	root, err := b.open()
	if err != nil {
		return stamp{}, false
	}
	defer root.Close()
	info, err := root.Stat(path.Join(b.path, name))
	if err != nil || !info.Mode().IsRegular() {
		return stamp{}, false
	}
	return stamp{info.Size(), info.ModTime().UnixNano()}, true
}
