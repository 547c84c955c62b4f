package studies

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// mostStamped is the largest number of files of a folder that are examined. Data folders have fewer.
const mostStamped = 10_000

// Stamp returns a text that identifies the version of a file, or of a folder with its files, by sizes and times. It
// returns "" if there is no such file.
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
		info, err := os.Stat(name) // of the target of a link
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
