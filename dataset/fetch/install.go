package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// errChecksum is wrapped by the error for bytes that are not the wanted ones.
var errChecksum = errors.New("wrong checksum")

// install checks a finished part and gives it its name. A part with the wrong
// checksum is removed: going on from it could never succeed.
func install(part, path string, want dataset.KnownFile) error {
	sum, err := flushedSum(part)
	if err != nil {
		return writeError(part, want, err)
	}
	if sum != want.SHA256 {
		if err := os.Remove(part); err != nil {
			return writeError(part, want, err)
		}
		return &fault.Error{
			What: fmt.Sprintf("%s has the wrong checksum: sha256 %s instead of %s", want.Name, sum, want.SHA256),
			Hint: "the file at this address has changed or was damaged on the way: try again, or give another address with --url",
			Err:  errChecksum,
		}
	}
	if err := os.Rename(part, path); err != nil {
		return writeError(path, want, err)
	}
	_ = regular.SyncFolder(filepath.Dir(path)) // a failure only means that a crash may undo the rename, which leaves the part
	return nil
}

// present reports whether path already is the wanted file. Another file under
// that name is left alone and is an error.
func present(path string, want dataset.KnownFile) (bool, error) {
	sum, err := flushedSum(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fault.Wrap(err, "cannot read "+path, "move it away or choose another folder with --dir")
	}
	if sum != want.SHA256 && sum != want.Plain {
		return false, fault.New(fmt.Sprintf("%s exists and is not the published file (sha256 %s)", path, sum), "move it away or choose another folder with --dir")
	}
	return true, nil
}

// flushedSum brings a file to the disk and returns its SHA-256 in hex.
func flushedSum(path string) (string, error) {
	file, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), file.Sync()
}
