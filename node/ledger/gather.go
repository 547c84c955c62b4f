package ledger

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// gatherName is by which SQLite knows gatherer.
const gatherName = "hearsay-ledger"

func init() { vfs.Register(gatherName, gatherer{vfs.Find("")}) }

// gathered is the name of a database whose log is gathered, as SQLite takes it.
func gathered(path string) string {
	path = filepath.ToSlash(filepath.Clean(path))
	if strings.HasPrefix(path, "/") {
		path = "//" + path // what follows two slashes is a machine: none
	}
	return "file:" + strings.ReplaceAll(url.PathEscape(path), "%2F", "/") + "?vfs=" + gatherName
}

// A gatherer is the operating system's files, but for a database's log, whose writes are gathered.
type gatherer struct{ vfs.VFS }

// OpenFilename implements vfs.VFSFilename.
func (g gatherer) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := g.VFS.(vfs.VFSFilename).OpenFilename(name, flags)
	if err == nil && flags&vfs.OPEN_WAL != 0 {
		file = &gathering{File: file}
	}
	return file, flags, err
}

// mostHeld is how many bytes are gathered at most.
const mostHeld = 128 << 10

// A gathering is a file whose writes wait until it is synced, read or closed: SQLite hands over each page of a commit, and
// the 24 bytes before it, in a call of its own, and these calls took half of the time that a commit has before its sync. What
// follows what was written last becomes one write with it. Before a sync all of it is the operating system's, so the sync makes durable what
// it would have. Where a write fails, the call that made it necessary does, and all later ones: nothing that SQLite
// wrote after it can be believed to be there.
type gathering struct {
	vfs.File
	start  int64 // of held in the file
	held   []byte
	failed error
}

// WriteAt implements vfs.File.
func (g *gathering) WriteAt(p []byte, off int64) (int, error) {
	if len(g.held) > 0 && (off != g.start+int64(len(g.held)) || len(g.held)+len(p) > mostHeld) {
		if err := g.flush(); err != nil {
			return 0, err
		}
	}
	if g.failed != nil {
		return 0, g.failed
	}
	if len(g.held) == 0 {
		g.start = off
	}
	g.held = append(g.held, p...)
	return len(p), nil
}

// flush hands over what is held.
func (g *gathering) flush() error {
	if g.failed != nil || len(g.held) == 0 {
		return g.failed
	}
	_, err := g.File.WriteAt(g.held, g.start)
	g.failed, g.held = vfs.SystemError(err, sqlite3.IOERR_WRITE), g.held[:0]
	return g.failed
}

// Sync implements vfs.File.
func (g *gathering) Sync(flags vfs.SyncFlag) error {
	if err := g.flush(); err != nil {
		return err
	}
	return g.File.Sync(flags)
}

// ReadAt implements vfs.File.
func (g *gathering) ReadAt(p []byte, off int64) (int, error) {
	if err := g.flush(); err != nil {
		return 0, err
	}
	return g.File.ReadAt(p, off)
}

// Truncate implements vfs.File.
func (g *gathering) Truncate(size int64) error {
	if err := g.flush(); err != nil {
		return err
	}
	return g.File.Truncate(size)
}

// Size implements vfs.File.
func (g *gathering) Size() (int64, error) {
	if err := g.flush(); err != nil {
		return 0, err
	}
	return g.File.Size()
}

// Close implements vfs.File.
func (g *gathering) Close() error {
	err := g.flush()
	if closed := g.File.Close(); err == nil {
		err = closed
	}
	return err
}

// Unwrap implements vfs.FileUnwrap.
func (g *gathering) Unwrap() vfs.File { return g.File }
