package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// FileRead is a file a table came from. SHA256 is of its bytes on disk,
// compressed or not.
type FileRead struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// readFile calls read with the contents of a file, decompressed if it starts
// as gzip does, and its base name for messages. The checksum is of the whole
// file whether or not read consumed it.
func readFile(path string, read func(r io.Reader, name string) error) (FileRead, error) {
	if isFolder(path) {
		return FileRead{}, fault.New(path+" is a folder", "give the path of a file in it")
	}
	f, err := regular.Open(path)
	if err != nil {
		return FileRead{}, openError(path, err)
	}
	defer f.Close()
	sum, size := sha256.New(), new(counter)
	raw := bufio.NewReaderSize(io.TeeReader(f, io.MultiWriter(sum, size)), 1<<16)
	name := filepath.Base(path)
	r, err := decompress(raw)
	if err != nil {
		return FileRead{}, fault.Wrap(err, name, "the file starts like gzip but is damaged: fetch it again")
	}
	if err := read(&unpacked{from: regular.Limited(r), stored: size, name: name}, name); err != nil {
		return FileRead{}, err
	}
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return FileRead{}, fault.Wrap(err, "cannot read "+path, "check the disk and try again")
	}
	return FileRead{Path: path, Bytes: int64(*size), SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// decompress returns r, or its decompressed contents if it is gzip.
func decompress(r *bufio.Reader) (io.Reader, error) {
	if magic, _ := r.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return r, nil
	}
	return gzip.NewReader(r)
}

// Limits of the size of decoded files. A file of half a megabyte must not take gigabytes,
// and files of usual data stay far below: text packs 3 to 30 times, and of a table of 0 and 1
// 100 numbers a byte would need rows of 100 equal ones.
const (
	freeText  = 32 << 20 // bytes of text that any file may unpack to
	mostTimes = 64       // bytes of text for a byte on disk, beyond these
	freeCells = 1 << 24  // numbers that any text may become
	mostCells = 32       // numbers for a byte on disk, beyond these
)

// unpacked passes the contents of a file on, as much as its size on disk allows.
type unpacked struct {
	from   io.Reader
	stored *counter
	passed int64
	name   string
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if u.passed += int64(n); u.passed > freeText+mostTimes*int64(*u.stored) {
		return 0, fault.New(fmt.Sprintf("%s unpacks to more than %d times its size", u.name, mostTimes), "give the file unpacked, if this is what it holds")
	}
	return n, err
}

// cellLimit returns how many numbers a table may have that is read from r, of which text
// bytes have been read.
func cellLimit(r io.Reader, text int64) int {
	if u, is := r.(*unpacked); is {
		text = int64(*u.stored)
	}
	return int(min(maxCells, freeCells+mostCells*text))
}

// readError explains a failure of the reader under a parser.
func readError(name string, err error) error {
	var own *fault.Error
	if errors.As(err, &own) {
		return err
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Wrap(err, name+" is damaged or cut short", "fetch the file again")
	}
	return fault.Wrap(err, "cannot read "+name, "check that the file is readable and complete")
}

// absent returns the error for a missing file. Its hint names the command that downloads the public data set called source, or the
// one whose name is in the path. An empty source is none.
func absent(path, source string) error {
	hint := "give the path of the file"
	for _, set := range Catalogue() {
		if set.Name == source || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), set.Name) {
			hint += ", or download it with: hearsay data fetch " + set.Name
			break
		}
	}
	return fault.New(fmt.Sprintf("no data file at %s", path), hint)
}

// openError explains why a file could not be opened.
func openError(path string, err error) error {
	switch {
	case path == "":
		return fault.New("no data file given", "name the file or its folder: --set data.path=FILE for a spec, --path with hearsay data")
	case errors.Is(err, fs.ErrNotExist):
		return absent(path, "")
	}
	if errors.Is(err, fs.ErrPermission) {
		return fault.Wrap(err, "cannot open "+path, "check the file's permissions")
	}
	return fault.Wrap(err, "cannot open "+path, "name a regular file; write what a pipe gives into one first")
}

// isFolder reports whether path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// locate returns the file called name in a folder, or its .gz; path itself if
// it is a file.
func locate(path, name string) string {
	if !isFolder(path) {
		return path
	}
	plain := filepath.Join(path, name)
	if _, err := os.Stat(plain); err == nil {
		return plain
	}
	if _, err := os.Stat(plain + ".gz"); err == nil {
		return plain + ".gz"
	}
	return plain
}
