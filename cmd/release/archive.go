package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// An entry is a file in an archive.
type entry struct {
	path    string
	mode    int64
	content []byte
}

// ordered returns a copy of files with paths below folder, sorted by path.
func ordered(folder string, files []entry) []entry {
	sorted := slices.Clone(files)
	for i := range sorted {
		sorted[i].path = path.Join(folder, sorted[i].path)
	}
	slices.SortFunc(sorted, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return sorted
}

// writeTar writes a gzip-compressed tar archive with the files below folder. Each file has the time at
// and no owner.
func writeTar(w io.Writer, folder string, files []entry, at time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression) // its header has neither name nor time
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	for _, f := range ordered(folder, files) {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: f.mode, Size: int64(len(f.content)), ModTime: at, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(f.content); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), packed.Close())
}

// writeZip writes the same files as a zip archive.
func writeZip(w io.Writer, folder string, files []entry, at time.Time) error {
	out := zip.NewWriter(w)
	for _, f := range ordered(folder, files) {
		header := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: at}
		header.SetMode(os.FileMode(f.mode))
		file, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(f.content); err != nil {
			return err
		}
	}
	return out.Close()
}

// sumsFile is the file of the checksums of all others, in the format of sha256sum --check.
const sumsFile = "SHA256SUMS"

// sums writes the checksums of the version's files.
func (r *release) sums() error {
	names, err := filepath.Glob(filepath.Join(r.out, "hearsay_"+r.commit.version+"_*"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(content), filepath.Base(name))
	}
	return writeFile(filepath.Join(r.out, sumsFile), func(w io.Writer) error { _, err := io.WriteString(w, text.String()); return err })
}

func writeFile(path string, write func(io.Writer) error) error {
	return regular.Write(path, 0o644, write)
}
