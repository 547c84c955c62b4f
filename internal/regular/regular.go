// Package regular opens the files that a user names. A device, a pipe or a
// socket has no end and may block for ever, so only regular files are read and replaced.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MostFile is the largest number of bytes of a file of results that are read.
const MostFile = 1 << 28

// Open opens the regular file at path for reading. For anything else the error names its kind. For a missing file
// errors.Is(err, fs.ErrNotExist) holds.
func Open(path string) (*os.File, error) {
	// Check comes first, because opening a pipe blocks until somebody writes to it.
	if err := Check(path); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := check(file.Stat()); err != nil { // it may have been replaced in between
		return nil, errors.Join(named(err, path), file.Close())
	}
	return file, nil
}

// Read returns the contents of the regular file at path. A file of more than limit bytes is an error.
func Read(path string, limit int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, named(fmt.Errorf("is longer than %d bytes", limit), path)
	}
	return text, nil
}

// Check returns an error that names the kind of path if that is no regular file. The error is fs.ErrNotExist if it is missing.
func Check(path string) error {
	if err := check(os.Stat(path)); err != nil {
		return named(err, path)
	}
	return nil
}

func named(err error, path string) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return err // it names the path
	}
	return fmt.Errorf("%s %w", path, err)
}

// check returns an error that names the kind of a file that is not regular.
func check(info fs.FileInfo, err error) error {
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("is a folder, not a file")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("is a pipe; only regular files are read and replaced")
	case mode&fs.ModeSocket != 0:
		return errors.New("is a socket; only regular files are read and replaced")
	}
	return errors.New("is a device; only regular files are read and replaced")
}
