// Package kept keeps laws of the path accountant in a folder, one file a law, so
// that accounting which was interrupted goes on. A law is found under a digest of
// all that it depends on: every field of the walk, its matrix, the pair, and the
// program itself. A file that is damaged or of something else is not used.
package kept

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

// Laws are those of a folder.
type Laws struct {
	folder  string
	program [32]byte
	say     io.Writer
}

// mostLaw is the longest law that is kept, in bytes.
const mostLaw = 64 << 20

// In are the laws of a folder, which is made when there is a law to keep. say is
// told of files that are not used.
func In(folder string, say io.Writer) (*Laws, error) {
	program, err := ownDigest()
	if err != nil {
		return nil, fault.Wrap(err, "cannot tell which program this is", "leave out --cache")
	}
	return &Laws{folder, program, say}, nil
}

// ownDigest is that of this program's file: laws of another version are not its
// own.
var ownDigest = sync.OnceValues(func() (sum [32]byte, err error) {
	path, err := os.Executable()
	if err != nil {
		return sum, err
	}
	file, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return [32]byte(h.Sum(nil)), err
})

// name is the digest of what a law depends on.
func (l *Laws) name(p pathloss.Pair, key [32]byte) []byte {
	h := sha256.New()
	h.Write(l.program[:])
	h.Write(key[:])
	h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(p.U)), uint64(p.V)))
	return h.Sum(nil)
}

func (l *Laws) path(name []byte) string {
	return filepath.Join(l.folder, hex.EncodeToString(name)+".law")
}

// seal is what a file begins with: a digest of its name and its text.
func seal(name, text []byte) []byte {
	sum := sha256.Sum256(append(bytes.Clone(name), text...))
	return sum[:]
}

// Recall reads a kept law, nil if there is no whole one.
func (l *Laws) Recall(p pathloss.Pair, key [32]byte) *pathloss.Law {
	name := l.name(p, key)
	text, err := regular.Read(l.path(name), mostLaw+sha256.Size)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	law := new(pathloss.Law)
	switch {
	case err != nil:
	case len(text) < sha256.Size || !bytes.Equal(text[:sha256.Size], seal(name, text[sha256.Size:])):
		err = errors.New("it is damaged")
	default:
		err = law.UnmarshalBinary(text[sha256.Size:])
	}
	if err != nil {
		fmt.Fprintf(l.say, "note: %s is not used: %v\n", l.path(name), err)
		return nil
	}
	return law
}

// Keep writes a law down, whole or not at all. What cannot be kept is computed
// again.
func (l *Laws) Keep(p pathloss.Pair, key [32]byte, law *pathloss.Law) {
	text, err := law.MarshalBinary()
	if err != nil || len(text) > mostLaw {
		return
	}
	name := l.name(p, key)
	if err := os.MkdirAll(l.folder, 0o755); err != nil {
		return
	}
	_ = regular.Write(l.path(name), 0o600, func(w io.Writer) error {
		_, err := w.Write(append(seal(name, text), text...))
		return err
	})
}

// Any reports whether there is a law.
func (l *Laws) Any() bool { return len(lawsIn(l.folder)) > 0 }

func lawsIn(folder string) []string {
	laws, err := filepath.Glob(filepath.Join(folder, "*.law"))
	if err != nil {
		return nil
	}
	return laws
}

// Forget removes the laws of a folder that were kept for a run that has ended, and
// the folder if nothing else is in it.
func Forget(folder string) {
	for _, law := range lawsIn(folder) {
		_ = os.Remove(law)
	}
	_ = os.Remove(folder)
}
