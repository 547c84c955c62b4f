package sweeps

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/studies"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/sweep"
)

// fields returns the varied keys, and these with the seeds of repeats at the end.
func (q *SweepQuestion) fields(ask form.Asker, path string) (settings, fields []sweep.Field, err error) {
	for _, text := range q.Vary {
		f, err := sweep.ReadField(text)
		if err != nil {
			return nil, nil, err
		}
		settings = append(settings, f)
	}
	if q.Repeat == 1 {
		return settings, settings, nil
	}
	seed, err := firstSeed(ask, path, q.Set, settings)
	if err != nil {
		return nil, nil, err
	}
	fields, err = sweep.Repeats(settings, seed, q.Repeat)
	return settings, fields, err
}

// firstSeed returns the seed of the spec.
func firstSeed(ask form.Asker, path string, set []string, fields []sweep.Field) (uint64, error) {
	grid, err := sweep.Grid(fields)
	if err != nil {
		return 0, err
	}
	for _, c := range grid { // a spec may be valid only after settings
		var s *spec.Spec
		if s, err = form.LoadSpec(ask.Context, path, append(append([]string{}, set...), c.Settings(fields)...)...); err == nil {
			return s.Seed, nil
		}
	}
	return 0, err
}

// cellKeys reads the spec of every cell, so that an unknown key is an error at once and not in every row. For each cell
// it returns a digest of everything that the result depends on: this program, the resolved spec, the content of the
// files that it reads, and the program that computes its model. The place of files, comments, and settings to default
// values make no difference. It also returns the paths of these files, and the specs' name if all have the same.
func cellKeys(ask form.Asker, path string, set []string, fields []sweep.Field, program string) (keys map[string]string, paths []string, name string, err error) {
	grid, err := sweep.Grid(fields)
	if err != nil {
		return nil, nil, "", err
	}
	hash, err := studies.ProgramHash()
	if err != nil {
		return nil, nil, "", err
	}
	keys = map[string]string{}
	names := map[string]bool{}
	var files studies.Digests
	bad := 0
	for _, c := range grid {
		values := c.Settings(fields)
		s, failed := form.LoadSpec(ask.Context, path, append(append([]string{}, set...), values...)...)
		if failed == nil {
			keys[strings.Join(values, "\x00")], failed = cellKey(s, &files, hash, program)
		}
		if failed == nil {
			name, names[s.Name] = s.Name, true
			paths = append(paths, experiment.Files(s)...)
			continue
		}
		keys[strings.Join(values, "\x00")] = "a spec that is none: " + strings.Join(values, "\x00")
		if bad++; err == nil {
			err = failed
		}
	}
	if bad == len(grid) {
		return nil, nil, "", err
	}
	if len(names) > 1 {
		name = ""
	}
	slices.Sort(paths)
	return keys, slices.Compact(paths), name, nil
}

func cellKey(s *spec.Spec, files *studies.Digests, hash, program string) (string, error) {
	own := *s
	own.Name = ""
	var read []string
	for _, file := range []*string{&own.Data.Path, &own.Graph, &own.Weights} {
		if *file == "" || gen.IsExpression(*file) || file == &own.Weights && experiment.WeightsFile(s) == "" {
			continue
		}
		path := *file
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		if digest := files.Of(path); digest != "" {
			read, *file = append(read, digest), "a file"
		}
	}
	if digest := files.Of(experiment.OwnFile(s)); digest != "" {
		read, own.Algorithm.Own = append(read, digest), s.Algorithm.Own.(spec.OwnFile).WithFile("a file")
	}
	if digest := files.Of(experiment.EarlierFile(s)); digest != "" {
		read, own.Model.Earlier = append(read, digest), &spec.Earlier{File: "a file"}
	}
	text, err := own.YAML()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(append(read, hash, program, string(text)), "\x00")))), nil
}

// A cellProgress counts the cells of a sweep.
type cellProgress struct {
	fields       []sweep.Field
	ended, cells int
	ran          int       // ended cells that were run now
	began        time.Time // earliest start of the first of them
}

func newCellProgress(fields []sweep.Field) *cellProgress {
	p := &cellProgress{fields: fields, cells: 1, began: time.Now()}
	for _, f := range fields {
		p.cells *= len(f.Values)
	}
	return p
}

// line describes the result of a cell, its number, and the approximate time left.
func (p *cellProgress) line(r sweep.Row, again bool) string {
	p.ended++
	text := fmt.Sprintf("%d of %d  %s: ", p.ended, p.cells, r.Cell.Name(p.fields))
	switch {
	case r.Error != "":
		text += r.Why()
	case r.Classifies:
		text += fmt.Sprintf("accuracy %.4g", float64(r.Score))
	default:
		text += fmt.Sprintf("test loss %.4g", float64(r.Score))
	}
	if r.Error == "" {
		text += fmt.Sprintf(", mean loss %s (%s)", form.Loss(r.Mean, r.Status), statusOf(r))
	}
	if again {
		return text + ", from an earlier run"
	}
	p.ran++
	if left := p.cells - p.ended; left > 0 {
		text += fmt.Sprintf("; about %s left", about(time.Since(p.began)/time.Duration(p.ran)*time.Duration(left)))
	}
	return text
}

// about formats a duration in one or two units.
func about(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
