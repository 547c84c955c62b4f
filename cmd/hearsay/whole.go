package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
)

// writeWhole writes a file through a temporary one beside it.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fault.New(path+" is no regular file", "give the path of a file that may be replaced, or of none yet")
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".partial-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	buffered := bufio.NewWriter(file)
	if err = errors.Join(write(buffered), buffered.Flush(), file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// writeOut is writeWhole for a file that the user named; it must be none of the others.
func writeOut(path string, write func(io.Writer) error, others ...string) error {
	for _, other := range others {
		if same(path, other) {
			return fault.New(path+" is what is read", "give another file")
		}
	}
	err := writeWhole(path, write)
	if err != nil && fault.Hint(err) == "" {
		err = fault.Wrap(err, "cannot write "+path, "check that the folder exists, is writable and has room; nothing was written")
	}
	return err
}

// same reports whether two paths are one file.
func same(path, other string) bool {
	a, errA := os.Stat(path)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
