package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// names lists what is in a directory, hidden entries too.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// only fails unless parent holds exactly the given names: no temporary left.
func only(t *testing.T, parent string, want ...string) {
	t.Helper()
	if got := names(t, parent); !slices.Equal(got, want) {
		t.Errorf("%s holds %v, want %v", parent, got, want)
	}
}

// refused fails unless err is one line with a hint that contains every word.
func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if fault.Hint(err) == "" || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has hint %q", err, fault.Hint(err))
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+" "+fault.Hint(err), w) {
			t.Errorf("error %q, hint %q: %q is missing", err, fault.Hint(err), w)
		}
	}
}

func TestWriteDirIsComplete(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "out")
	for range 2 { // the second time replaces the first
		if err := WriteDir(t.Context(), dir, hypercubeBundle(5)); err != nil {
			t.Fatal(err)
		}
	}
	want := slices.Sorted(slices.Values(fileNames))
	want = slices.DeleteFunc(want, func(name string) bool { return name == TensorsFile }) // of external models only
	only(t, dir, want...)
	only(t, filepath.Join(parent, "deep"), "out")
}

func TestWriteDirWithoutLosses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	b := hypercubeBundle(3)
	b.Losses, b.Picture, b.Result.Privacy = nil, nil, Privacy{}
	if err := WriteDir(t.Context(), dir, b); err != nil {
		t.Fatal(err)
	}
	only(t, dir, "metrics.csv", "model.json", "model.npz", "nodes.csv", "report.html", "result.json", "spec.yaml")
}

func TestFailureLeavesTheEarlierResult(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	if err := WriteDir(t.Context(), dir, hospitalsBundle()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	full := func(io.Writer) error { return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC} }
	fine := func(w io.Writer) error { _, err := w.Write([]byte("new")); return err }
	err = writeFiles(t.Context(), dir, []file{{"result.json", fine}, {"privacy.csv", full}})
	refused(t, err, dir, "privacy.csv", "no space", "free some space")
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v hides its cause", err)
	}
	only(t, parent, "out")
	if after, _ := os.ReadFile(filepath.Join(dir, "result.json")); string(after) != string(before) {
		t.Error("a failed write changed the earlier result")
	}
}

func TestInterruptionLeavesNothing(t *testing.T) {
	t.Run("before the first loss", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		parent := t.TempDir()
		err := WriteDir(ctx, filepath.Join(parent, "out"), hospitalsBundle())
		refused(t, err, "interrupted")
		only(t, parent)
	})
	t.Run("inside a file", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		parent := t.TempDir()
		endless := func(w io.Writer) error {
			for {
				if _, err := fmt.Fprintln(w, "1,2,3"); err != nil {
					return err
				}
				cancel()
			}
		}
		err := writeFiles(ctx, filepath.Join(parent, "out"), []file{{"privacy.csv", endless}})
		refused(t, err, "interrupted")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v is not a cancellation", err)
		}
		only(t, parent)
	})
}

// A link keeps pointing where it did, and what it points to is replaced.
func TestLinksAreFollowed(t *testing.T) {
	parent := t.TempDir()
	real, link := filepath.Join(parent, "real"), filepath.Join(parent, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
	refused(t, WriteDir(t.Context(), link, hospitalsBundle()), link, "link to nothing")
	only(t, parent, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 { // into an empty directory, then over a result
		if err := WriteDir(t.Context(), link, hospitalsBundle()); err != nil {
			t.Fatal(err)
		}
	}
	only(t, parent, "link", "real")
	if to, err := os.Readlink(link); err != nil || to != "real" || !slices.Contains(names(t, real), "result.json") {
		t.Errorf("link to %q, %v; %v", to, err, names(t, real))
	}
}

// Folders made on the way to one that cannot be written do not stay.
func TestFailureRemovesTheFoldersItMade(t *testing.T) {
	parent := t.TempDir()
	full := func(io.Writer) error { return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC} }
	err := writeFiles(t.Context(), filepath.Join(parent, "a", "b", "out"), []file{{"result.json", full}})
	refused(t, err, "no space")
	only(t, parent)
}

// What cannot be written is refused before anything is computed.
func TestCheckDirTriesToWrite(t *testing.T) {
	parent := t.TempDir()
	if err := CheckDir(filepath.Join(parent, "a", "out")); err != nil {
		t.Fatal(err)
	}
	only(t, parent)
	if err := os.Chmod(parent, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may write anywhere")
	}
	refused(t, CheckDir(filepath.Join(parent, "out")), "permission", "may write")
}

func TestOtherPeoplesDirectoriesAreRefused(t *testing.T) {
	dir := t.TempDir()
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("model.json")
	refused(t, WriteDir(t.Context(), dir, hospitalsBundle()), "no result.json")
	put("result.json")
	put("thesis.tex")
	refused(t, WriteDir(t.Context(), dir, hospitalsBundle()), "thesis.tex")
	only(t, dir, "model.json", "result.json", "thesis.tex")
}

func TestAFileInTheWay(t *testing.T) {
	parent := t.TempDir()
	way := filepath.Join(parent, "way")
	if err := os.WriteFile(way, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, WriteDir(t.Context(), way, hospitalsBundle()), way)
	refused(t, WriteDir(t.Context(), filepath.Join(way, "out"), hospitalsBundle()), way)
	only(t, parent, "way")
}

func TestEmptyDirectoryIsFilled(t *testing.T) {
	dir := t.TempDir()
	if err := WriteDir(t.Context(), dir, hospitalsBundle()); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(names(t, dir), "result.json") {
		t.Error("no result.json")
	}
}

// TestReplaceWithoutExchange covers systems that cannot swap two names.
func TestReplaceWithoutExchange(t *testing.T) {
	parent := t.TempDir()
	dir, tmp := filepath.Join(parent, "out"), filepath.Join(parent, ".tmp")
	for path, text := range map[string]string{dir: "old", tmp: "new"} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "result.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := replace(filepath.Join(parent, "absent"), dir); err == nil {
		t.Error("replacing by a directory that does not exist succeeded")
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "result.json")); string(text) != "old" {
		t.Errorf("after a failed replacement the result is %q", text)
	}
	if err := replace(tmp, dir); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "result.json")); string(text) != "new" {
		t.Errorf("after the replacement the result is %q", text)
	}
	only(t, parent, "out")
}

func TestPartsThatDoNotFitAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Bundle){
		"accountant path has losses of 5": func(b *Bundle) { b.Losses[0].N = 5 },
		"edge 1-4":                        func(b *Bundle) { b.Picture.Edges[0] = [2]int32{1, 4} },
		"3 names":                         func(b *Bundle) { b.Picture.Names = b.Picture.Names[:3] },
		"features are called \"age\"":     func(b *Bundle) { b.Result.Data.Features[1] = "age" },
		"trial 1 has 0 parameters":        func(b *Bundle) { b.Result.Trials[1].Model = nil },
	} {
		b := hospitalsBundle()
		spoil(b)
		parent := t.TempDir()
		refused(t, WriteDir(t.Context(), filepath.Join(parent, "out"), b), name)
		only(t, parent)
	}
}

// Losses are those of one trial, and the model file of several says so.
func TestLossesAreThoseOfOneTrial(t *testing.T) {
	b := hypercubeBundle(5)
	b.Result.Privacy.ModelCharged, b.Result.Privacy.Sigma = true, 1
	for _, trials := range []int{1, 2} {
		b.Result.Trials = make([]Trial, trials)
		file, err := newModelFile(b)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(file.Notice, "of several learns more") != (trials > 1) {
			t.Errorf("%d trials: %s", trials, file.Notice)
		}
	}
}
