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

// Limits on the files that are read.
const (
	mostResult = 64 << 20  // bytes of a result.json
	mostSmall  = 4 << 20   // of a spec, a status, a list of names
	mostTable  = 64 << 20  // of a CSV file
	mostArrays = 1 << 30   // of all arrays of a run, unpacked
	freeArrays = 400 << 20 // of these, for a file of any size: two accountants and distances of 4096 nodes
	mostTimes  = 64        // beyond these, for each byte of the file
	mostCell   = 64 << 20  // of a cell of a sweep
)

// A place is one of the shown folders.
type place struct {
	dir string // as given
}

// open opens the folder as a root. A link that leads out of it cannot be followed.
func (p place) open() (*os.Root, error) { return os.OpenRoot(p.dir) }

// A below is a folder in a place.
type below struct {
	place
	path string // with slashes, "." for the place itself
}

// at returns the path of a file in the folder, for messages.
func (b below) at(name string) string { return filepath.Join(b.dir, filepath.FromSlash(b.path), name) }

// read returns the content of the regular file called name, of at most limit bytes.
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
	// Stat comes before open, because opening a pipe waits for a writer.
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

// regularFile returns a check that refuses anything but a regular file of at most limit
// bytes.
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

// short returns a file system error without the path, which is reported elsewhere.
func short(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Errorf("%s: %w", path.Base(filepath.ToSlash(at.Path)), at.Err)
	}
	return err
}

// A stamp identifies a version of a file. The zero stamp stands for no file.
type stamp struct {
	size int64
	time int64 // nanoseconds
}

// stampOf returns the stamp of a file in the folder. It returns false if there is no
// such regular file.
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
