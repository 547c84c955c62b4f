package studies

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// Digests holds digests of files and folders by content, not by place. Each is read again only after a change. Digests
// is safe for concurrent use.
type Digests struct {
	one   sync.Mutex
	known map[string]string // by Stamp
}

// Of returns the digest of a file, or of all files in a folder. It returns "" for anything else, or on an error.
func (d *Digests) Of(path string) string {
	stamp := Stamp(path)
	if stamp == "" {
		return ""
	}
	d.one.Lock()
	defer d.one.Unlock()
	if digest, known := d.known[stamp]; known {
		return digest
	}
	digest, err := digestOf(path)
	if err != nil {
		return ""
	}
	if d.known == nil {
		d.known = map[string]string{}
	}
	d.known[stamp] = digest
	return digest
}

func digestOf(path string) (string, error) {
	sum, left := sha256.New(), mostStamped
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := os.Stat(name); err != nil || info.IsDir() { // of the target of a link
			return err
		}
		if left--; left < 0 {
			return fs.SkipAll
		}
		below, err := filepath.Rel(path, name)
		if err != nil {
			return err
		}
		file, err := regular.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		own := sha256.New()
		if _, err := io.Copy(own, file); err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %x\n", below, own.Sum(nil))
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
