package main

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

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

// A cache keeps laws of the path accountant in a folder, one file a law, so that
// accounting which was interrupted goes on. A law is found under a digest of all
// that it depends on: every field of the walk, its matrix, the pair, and the
// program itself. A file that is damaged or of something else is not used.
type cache struct {
	folder  string
	program [32]byte
	say     io.Writer
}

// mostLaw is the longest law that is kept, in bytes.
const mostLaw = 64 << 20

// openCache is the cache in a folder, which is made when there is a law to keep.
func openCache(folder string, say io.Writer) (*cache, error) {
	program, err := ownDigest()
	if err != nil {
		return nil, fault.Wrap(err, "cannot tell which program this is", "leave out --cache")
	}
	return &cache{folder, program, say}, nil
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
func (c *cache) name(p pathloss.Pair, key [32]byte) []byte {
	h := sha256.New()
	h.Write(c.program[:])
	h.Write(key[:])
	h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(p.U)), uint64(p.V)))
	return h.Sum(nil)
}

func (c *cache) path(name []byte) string {
	return filepath.Join(c.folder, hex.EncodeToString(name)+".law")
}

// seal is what a file begins with: a digest of its name and its text.
func seal(name, text []byte) []byte {
	sum := sha256.Sum256(append(bytes.Clone(name), text...))
	return sum[:]
}

// recall reads a kept law, nil if there is no whole one.
func (c *cache) recall(p pathloss.Pair, key [32]byte) *pathloss.Law {
	name := c.name(p, key)
	text, err := regular.Read(c.path(name), mostLaw+sha256.Size)
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
		fmt.Fprintf(c.say, "note: %s is not used: %v\n", c.path(name), err)
		return nil
	}
	return law
}

// keep writes a law down, whole or not at all. What cannot be kept is computed
// again.
func (c *cache) keep(p pathloss.Pair, key [32]byte, l *pathloss.Law) {
	text, err := l.MarshalBinary()
	if err != nil || len(text) > mostLaw {
		return
	}
	name := c.name(p, key)
	if err := os.MkdirAll(c.folder, 0o755); err != nil {
		return
	}
	file, err := os.CreateTemp(c.folder, ".law-*")
	if err != nil {
		return
	}
	_, err = file.Write(append(seal(name, text), text...))
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), c.path(name))
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
}

// holds reports whether there is any law.
func (c *cache) holds() bool {
	laws, err := filepath.Glob(filepath.Join(c.folder, "*.law"))
	return err == nil && len(laws) > 0
}

// cacheFlag is --cache.
type cacheFlag string

func (f *cacheFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "cache", "", "folder that keeps what the path accountant has found, so that it goes on after an interruption")
}

// watch follows the path accountant of a command: it shows progress, and keeps
// laws where the flag says, else in fallback, if that is not empty.
func (f cacheFlag) watch(cmd *cobra.Command, fallback string) (*pathloss.Watch, error) {
	p := pulseOf(cmd.ErrOrStderr())
	w := &pathloss.Watch{Context: cmd.Context(), Stage: p.enter, Progress: p.progress}
	folder := string(f)
	if folder == "" {
		folder = fallback
	}
	if folder == "" {
		p.hint = func() string {
			return "nothing was written; run it again to start over, with --cache FOLDER to keep what accounting finds"
		}
		return w, nil
	}
	if f != "" {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fault.Wrap(err, "cannot make the cache "+folder, "give a folder that can be written")
		}
	}
	c, err := openCache(folder, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	p.hint = func() string {
		if !c.holds() {
			return ""
		}
		return fmt.Sprintf("what accounting found is kept in %s; the same command goes on from there", folder)
	}
	w.Recall, w.Keep = c.recall, c.keep
	return w, nil
}

// plain follows the path accountant where nothing is kept unless the flag says so.
func (f cacheFlag) plain(cmd *cobra.Command) (*pathloss.Watch, error) {
	if f != "" {
		return f.watch(cmd, "")
	}
	p := pulseOf(cmd.ErrOrStderr())
	return &pathloss.Watch{Context: cmd.Context(), Stage: p.enter, Progress: p.progress}, nil
}

// forget removes the laws of a folder that were kept for a run that has ended.
func forget(folder string) {
	laws, err := filepath.Glob(filepath.Join(folder, "*.law"))
	if err != nil {
		return
	}
	for _, law := range laws {
		_ = os.Remove(law)
	}
	_ = os.Remove(folder) // only if it is empty
}
