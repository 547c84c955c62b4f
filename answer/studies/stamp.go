package studies

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// mostStamped is the most files of a folder that are looked at; nothing that is read here has as many.
const mostStamped = 10_000

// Stamp tells a file, or a folder by the files in it, from another of the same name, by sizes and times; "" of what is neither.
func Stamp(path string) string {
	info, err := os.Stat(path)
	if path == "" || err != nil {
		return ""
	}
	if !info.IsDir() {
		return fmt.Sprintf("%s %s;", path, changed(info))
	}
	sum, left := sha256.New(), mostStamped
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if left--; left < 0 {
			return fs.SkipAll
		}
		info, err := os.Stat(name) // of what a link leads to
		if err == nil {
			fmt.Fprintf(sum, "%q %s\n", name, changed(info))
		}
		return nil
	})
	return fmt.Sprintf("%s %x %v;", path, sum.Sum(nil)[:16], err)
}

func changed(info fs.FileInfo) string {
	return fmt.Sprintf("%d %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}
