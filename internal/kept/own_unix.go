//go:build unix

package kept

import (
	"os"
	"syscall"
)

// othersWrite says why other users may have written into a folder. It returns "" if they cannot have.
func othersWrite(folder string) string {
	info, err := os.Stat(folder)
	if err != nil {
		return err.Error()
	}
	if info.Mode().Perm()&0o022 != 0 {
		return "others may write into that folder (chmod go-w)"
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		return "that folder belongs to somebody else"
	}
	return ""
}
