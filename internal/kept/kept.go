// Package kept keeps results of accountants in a folder, one file each. Interrupted accounting thus continues, and the same
// question is answered at once. The name of a result is a digest of everything on which it depends: the accountant's key and
// the program itself. A file that is damaged, of another result or of another user is not used.
package kept

import (
	"bytes"
	"cmp"
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
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Folder is a privacy.Keeper.
type Folder struct {
	folder  string
	most    int64 // bytes of all files; 0: no limit
	program func() (privacy.Key, error)

	mu      sync.Mutex
	say     io.Writer
	mine    bool  // the folder was found to belong to this user alone
	used    bool  // a result was kept or recalled
	counted bool  // the bytes of its files were counted
	held    int64 // bytes of the files, and of those being written
	coming  int64 // bytes of files being written
}

// longest is the size in bytes of the largest result that is kept.
const longest = 64 << 20

// In returns a folder, which is created when there is a result to keep. say receives notes about files that are not used. If
// the files of the folder exceed most bytes in all, the least recently used ones are removed. most 0 sets no limit.
func In(folder string, most int64, say io.Writer) *Folder {
	return &Folder{folder: folder, most: most, program: ownDigest, say: say}
}

// ownDigest returns the digest of this program's file, because another version may compute other results.
var ownDigest = sync.OnceValues(func() (sum privacy.Key, err error) {
	path, err := os.Executable()
	if err != nil {
		return sum, err
	}
	file, err := regular.Open(path)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return privacy.Key(h.Sum(nil)), err
})

// name returns the digest of everything on which a result depends. It returns nil if this program's digest is not known.
func (f *Folder) name(key privacy.Key) []byte {
	program, err := f.program()
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(append(program[:], key[:]...))
	return sum[:]
}

const suffix = ".kept"

func (f *Folder) path(name []byte) string {
	return filepath.Join(f.folder, hex.EncodeToString(name)+suffix)
}

// seal returns the first bytes of a file: a digest of its name and its text.
func seal(name, text []byte) []byte {
	h := sha256.New()
	h.Write(name)
	h.Write(text)
	return h.Sum(nil)
}

// Recall implements privacy.Keeper.
func (f *Folder) Recall(key privacy.Key) []byte {
	name := f.name(key)
	if name == nil {
		return nil
	}
	text, err := regular.Read(f.path(name), longest+sha256.Size)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
	case !f.own():
		return nil
	case len(text) < sha256.Size || !bytes.Equal(text[:sha256.Size], seal(name, text[sha256.Size:])):
		err = errors.New("it is damaged")
	}
	if err != nil {
		f.note("%s is not used: %v", f.path(name), err)
		return nil
	}
	if f.most > 0 {
		now := time.Now()
		_ = os.Chtimes(f.path(name), now, now) // a used file stays longest; if that cannot be recorded, it does not
	}
	f.use()
	return text[sha256.Size:]
}

func (f *Folder) use() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used = true
}

func (f *Folder) note(format string, what ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(f.say, "note: "+format+"\n", what...)
}

// own reports whether only this user could have written into the folder. It is needed because a digest shows damage, but not
// who wrote a file.
func (f *Folder) own() bool {
	f.mu.Lock()
	mine := f.mine
	f.mu.Unlock()
	if mine {
		return true
	}
	if why := othersWrite(f.folder); why != "" {
		f.note("what is kept in %s is not used: %s", f.folder, why)
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mine = true
	return true
}

// Keep implements privacy.Keeper. It writes found whole or not at all. A result that cannot be kept is computed again later.
func (f *Folder) Keep(key privacy.Key, found []byte) {
	name := f.name(key)
	if name == nil || len(found) > longest || os.MkdirAll(f.folder, 0o700) != nil {
		return
	}
	defer f.makeRoom(int64(len(found) + sha256.Size))()
	if regular.Write(f.path(name), 0o600, func(w io.Writer) error {
		_, err := w.Write(append(seal(name, found), found...))
		return err
	}) == nil {
		f.use()
	}
}

// makeRoom counts more bytes as being written until the caller calls the returned function. If the limit is exceeded it removes
// the least recently used files, down to three quarters of most, so that it seldom has to list the folder.
func (f *Folder) makeRoom(more int64) (written func()) {
	if f.most == 0 {
		return func() {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	written = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.coming -= more
	}
	f.coming += more
	if f.held += more; f.counted && f.held <= f.most {
		return written
	}
	files, total := f.files()
	if f.counted = true; total+f.coming > f.most {
		for len(files) > 0 && total+f.coming > f.most/4*3 {
			if os.Remove(files[0].path) == nil {
				total -= files[0].size
			}
			files = files[1:]
		}
	}
	f.held = total + f.coming
	return written
}

// A file is a file of a folder.
type file struct {
	path string
	size int64
	used time.Time
}

// files returns the files of a folder, the least recently used one first, and their total bytes.
func (f *Folder) files() (list []file, total int64) {
	for _, path := range filesIn(f.folder) {
		if info, err := os.Lstat(path); err == nil {
			list, total = append(list, file{path, info.Size(), info.ModTime()}), total+info.Size()
		}
	}
	slices.SortFunc(list, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	return list, total
}

// Used reports whether any result was kept or recalled.
func (f *Folder) Used() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

func filesIn(folder string) (paths []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// Size returns the number of files that are kept, and their bytes.
func (f *Folder) Size() (files int, bytes int64) {
	list, total := f.files()
	return len(list), total
}

// Clear removes all kept files, and the folder if it is then empty.
func (f *Folder) Clear() {
	for _, file := range filesIn(f.folder) {
		_ = os.Remove(file)
	}
	_ = os.Remove(f.folder)
}
