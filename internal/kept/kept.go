// Package kept keeps what accountants have found in a folder, one file each, so that
// accounting which was interrupted goes on and the same question is answered at once.
// What was found lies under a digest of all that it depends on: the accountant's key
// and the program itself. A file that is damaged, of something else or of somebody
// else is not used.
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
	mine    bool  // it was found to be nobody else's
	used    bool  // something was kept or recalled
	counted bool  // its files were
	held    int64 // their bytes, and those that are coming
	coming  int64 // bytes that there is room for and that are not all in a file yet
}

// longest is the longest thing that is kept, in bytes.
const longest = 64 << 20

// In is a folder, which is made when there is something to keep. say is told of files
// that are not used. Where the files of a folder come to more than most bytes, those
// that were not used for longest make room; most 0 sets no limit.
func In(folder string, most int64, say io.Writer) *Folder {
	return &Folder{folder: folder, most: most, program: ownDigest, say: say}
}

// ownDigest is that of this program's file: what another version has found may not be
// what this one finds.
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

// name is the digest of what something depends on, nil where it is not known which
// program this is.
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

// seal is what a file begins with: a digest of its name and its text.
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
		_ = os.Chtimes(f.path(name), now, now) // what is used stays longest; if that cannot be noted, it does not
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

// own reports whether nobody else could have written into the folder: a digest tells
// damage from what was kept, but not who kept it.
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

// Keep implements privacy.Keeper: found is written down, whole or not at all. What
// cannot be kept is computed again.
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

// makeRoom counts so many bytes more, until they are written or not, when what it returns
// is called. Where they are too many it removes what was not used for longest, down to
// three quarters of most, so that it seldom has to look.
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

// A file of a folder.
type file struct {
	path string
	size int64
	used time.Time
}

// files are those of a folder, the one that was not used for longest first, and their
// bytes.
func (f *Folder) files() (list []file, total int64) {
	for _, path := range filesIn(f.folder) {
		if info, err := os.Lstat(path); err == nil {
			list, total = append(list, file{path, info.Size(), info.ModTime()}), total+info.Size()
		}
	}
	slices.SortFunc(list, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	return list, total
}

// Used reports whether anything was kept or recalled.
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

// Size is how many files are kept, and their bytes.
func (f *Folder) Size() (files int, bytes int64) {
	list, total := f.files()
	return len(list), total
}

// Clear removes what is kept, and the folder if nothing else is in it.
func (f *Folder) Clear() {
	for _, file := range filesIn(f.folder) {
		_ = os.Remove(file)
	}
	_ = os.Remove(f.folder)
}
