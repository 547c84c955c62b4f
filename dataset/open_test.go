package dataset

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// What is not there, and what is no file, are told with what to do about it.
func TestOpeningSaysWhatToDo(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone", "rows.csv")
	for path, hint := range map[string]string{gone: "give the path", "/dev/null": "what a pipe gives", t.TempDir(): "a file in it"} {
		if _, err := readFile(path, func(io.Reader, string) error { return nil }); err == nil || !strings.Contains(fault.Hint(err), hint) {
			t.Errorf("%s: %v (%s)", path, err, fault.Hint(err))
		}
	}
	for _, err := range []error{heartPathError(gone), mnistPathError(gone)} {
		if !strings.Contains(err.Error(), "no data file at "+gone) || !strings.Contains(fault.Hint(err), "hearsay data fetch") {
			t.Errorf("%v (%s)", err, fault.Hint(err))
		}
	}
}
