package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A file of the output directory, and how to write it.
type file struct {
	name  string
	write func(io.Writer) error
}

// fileNames lists all names that WriteDir uses.
var fileNames = []string{"result.json", "metrics.csv", "privacy.csv", "privacy.json", "privacy.npz",
	"privacy_by_distance.csv", "nodes.csv", "model.json", "model.npz", TensorsFile, "spec.yaml", "report.html"}

// WriteDir writes the whole output of b into dir:
//
//	result.json              Result
//	metrics.csv              curves: mean, std, min, max over trials
//	privacy.csv              losses of ordered pairs, a column per accountant
//	privacy.json             content of privacy.csv, and the status of each column
//	privacy_by_distance.csv  losses by distance in hops, when distances are known
//	privacy.npz              the loss matrices, up to 4096 nodes
//	nodes.csv                the name of each node and how many neighbours it has
//	model.json, model.npz    the parameters, by name and as arrays
//	model.safetensors        those of an external model under the names that its program has
//	spec.yaml                the resolved spec
//	report.html              the page
//
// Up to 4096 nodes privacy.csv lists every ordered pair; above, the 100,000 worst. Without
// pairwise losses there is no privacy.* file.
//
// The directory appears complete or not at all: files are written and synced in a temporary
// directory beside dir, which is then renamed. An earlier result in dir is replaced. A
// directory with any other content is refused. On any failure, or when ctx ends, the temporary
// directory is removed and dir is unchanged. The error includes a hint (package fault).
func WriteDir(ctx context.Context, dir string, b *Bundle) error {
	if err := CheckDir(dir); err != nil {
		return err
	}
	path, err := place(dir)
	if err != nil {
		return err
	}
	if b, err = b.Within(path); err != nil {
		return explain(err, dir)
	}
	files, err := b.files(ctx)
	if err != nil {
		return explain(err, dir)
	}
	return writeFiles(ctx, dir, files)
}

// WriteOther writes the result and the page of a command that has no Bundle into dir, in the
// same way.
func WriteOther(ctx context.Context, dir string, result any, page func(io.Writer) error) error {
	if err := CheckDir(dir); err != nil {
		return err
	}
	return writeFiles(ctx, dir, []file{{"result.json", asJSON(result)}, {"report.html", page}})
}

// files lists the files to write. It computes the losses, once.
func (b *Bundle) files(ctx context.Context) ([]file, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	model, err := newModelFile(b)
	if err != nil {
		return nil, err
	}
	s, err := newSurvey(ctx, b, usual)
	if err != nil {
		return nil, err
	}
	list := []file{
		{"result.json", asJSON(b.Result)},
		{"metrics.csv", func(w io.Writer) error { return writeMetrics(w, b.Result) }},
		{"nodes.csv", func(w io.Writer) error { return writeNodes(w, b) }},
		{"model.json", asJSON(model)},
		{"model.npz", func(w io.Writer) error { return writeModelArrays(w, b.Result) }},
		{"spec.yaml", func(w io.Writer) error { _, err := io.Copy(w, bytes.NewReader(b.ResolvedSpec)); return err }},
		{"report.html", func(w io.Writer) error { return writePage(w, b, s) }},
	}
	if e := b.Result.Recipe.External; e != nil {
		list = append(list, file{TensorsFile, func(w io.Writer) error { return e.Write(w, b.Result.Trials[0].Model) }})
	}
	return append(list, lossFiles(b.Result, s)...), nil
}

// lossFiles lists the files about pairs.
func lossFiles(r *Result, s *survey) []file {
	if s.n == 0 {
		return nil
	}
	list := []file{
		{"privacy.csv", func(w io.Writer) error { return writePairs(w, s) }},
		{"privacy.json", asJSON(newPairsFile(r, s))},
	}
	if s.distances.known() {
		list = append(list, file{"privacy_by_distance.csv", func(w io.Writer) error { return writeDistances(w, s) }})
	}
	if s.all != nil {
		list = append(list, file{"privacy.npz", func(w io.Writer) error { return writeLossArrays(w, s) }})
	}
	return list
}

// asJSON writes value indented.
func asJSON(value any) func(io.Writer) error {
	return func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(value)
	}
}

// CheckDir refuses a directory that holds anything but an earlier result, and one that cannot
// be made. A long run can call it before it starts. The error includes a hint (package fault).
func CheckDir(dir string) error {
	path, err := place(dir)
	if err != nil {
		return explain(err, dir)
	}
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(err, dir)
	}
	for _, e := range entries {
		if !slices.Contains(fileNames, e.Name()) {
			return fault.New(fmt.Sprintf("output directory %s holds %s, which is not part of a result", dir, e.Name()),
				"choose a new directory, or move that file away to have the earlier result replaced")
		}
	}
	if _, err := os.Stat(filepath.Join(path, "result.json")); err != nil && len(entries) > 0 {
		return fault.New(fmt.Sprintf("output directory %s is not empty and holds no result.json", dir),
			"choose a new directory, or empty this one")
	}
	if err := tryParent(path); err != nil {
		return explain(err, dir)
	}
	return nil
}

// writeFiles writes files into a temporary sibling of dir and puts it in place.
func writeFiles(ctx context.Context, dir string, files []file) error {
	path, err := place(dir)
	if err != nil {
		return explain(err, dir)
	}
	undo, err := makeParent(filepath.Dir(path))
	if err == nil {
		err = writeBeside(ctx, path, files)
	}
	if err != nil {
		undo()
		return explain(err, dir)
	}
	return nil
}

// writeBeside is writeFiles for a path without links whose parent exists.
func writeBeside(ctx context.Context, path string, files []file) error {
	tmp, err := tempBeside(path, filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := fill(ctx, tmp, files); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err := install(tmp, path); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return nil
}

// fill writes and syncs every file and then the directory that names them.
func fill(ctx context.Context, tmp string, files []file) error {
	for _, f := range files {
		if err := writeFile(ctx, filepath.Join(tmp, f.name), f.write); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	return regular.SyncFolder(tmp)
}

func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(&untilDone{ctx, f}); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// untilDone fails writes once its context has ended.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilDone) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}

// explain returns an error of one line with a hint.
func explain(err error, dir string) error {
	if fault.Hint(err) != "" {
		return err
	}
	hint := "nothing was written; choose another output directory"
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		hint = "it was interrupted and nothing was written; run it again"
	case errors.Is(err, syscall.ENOSPC):
		hint = "nothing was written; free some space or choose a directory on another disk"
	case errors.Is(err, fs.ErrPermission):
		hint = "nothing was written; choose a directory you may write to"
	}
	return fault.Wrap(oneLine{err}, "cannot write the results to "+dir, hint)
}

// oneLine keeps the message of joined errors on one line.
type oneLine struct{ error }

func (o oneLine) Error() string { return strings.ReplaceAll(o.error.Error(), "\n", "; ") }
func (o oneLine) Unwrap() error { return o.error }
