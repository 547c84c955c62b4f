package studies

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/papers"
)

// RunStudies runs studies, several in parallel, and prints the verdicts in order. It writes the index and the summary
// of all studies.
func RunStudies(ask form.Asker, studies []papers.Study, f StudyQuestion) error {
	key, err := programKey(f)
	if err != nil {
		return err
	}
	entries := make([]papers.Entry, len(studies))
	var written atomic.Int32
	p := terminal.PulseOf(ask.Stderr)
	p.Hint = goesOn(&written, f.Out, p.Hint)
	err = sideBySide(papers.Together(ask.Context), len(studies), f.Workers, func(ctx context.Context, i int, say func(func())) error {
		e, err := oneOfAll(ctx, studies[i], f, key, func(text string) { say(func() { fmt.Fprintln(ask.Stderr, text) }) })
		if err != nil {
			return err
		}
		if entries[i] = e; f.Out != "" && e.Record != nil {
			written.Add(1)
		}
		if !ask.JSON {
			say(func() { fmt.Fprintln(ask.Stdout, line(e)) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	var failed []string
	for _, e := range entries {
		if e.Verdict() == papers.Fail {
			failed = append(failed, e.Study.ID)
		}
	}
	if err := writeAll(ask, entries, f); err != nil { // an index of the studies that were run
		return err
	}
	if ask.JSON {
		if err := ask.Value(entries); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return fault.New(fmt.Sprintf("%d of %d studies do not show what they should: %s", len(failed), len(studies), strings.Join(failed, ", ")),
			"run one of them alone: hearsay papers run "+failed[0])
	}
	return nil
}

// goesOn returns the advice after an interruption: how many studies the folder already holds. usual is any other
// advice.
func goesOn(written *atomic.Int32, folder string, usual func() string) func() string {
	return func() string {
		switch n := written.Load(); {
		case n > 0:
			return fmt.Sprintf("studies that %s has are not run again (%d now); the same command goes on from there", folder, n)
		case usual != nil:
			return usual()
		}
		return ""
	}
}

// oneOfAll runs a study and records the reason if it cannot run. A failing study does not stop the others, but an
// interruption does.
func oneOfAll(ctx context.Context, s papers.Study, f StudyQuestion, key string, say func(string)) (papers.Entry, error) {
	e := papers.Entry{Study: s}
	key = studyKey(key, s, f.Data)
	folder := ""
	if f.Out != "" {
		folder = filepath.Join(f.Out, s.ID)
		if e.Record = s.Recall(folder, key); e.Record != nil {
			e.Why = "from an earlier run"
			return e, nil
		}
	}
	if err := checkStudyData(s, f.Data); err != nil {
		e.Why = err.Error() + "; " + fault.Hint(err)
		return e, nil
	}
	record, err := s.Make(ctx, f.Data, f.Quick, func(text string) { say(s.ID + ": " + text) })
	switch {
	case ctx.Err() != nil:
		return e, errors.Join(err, ctx.Err())
	case err != nil:
		if e.Why, e.Broken = err.Error(), true; fault.Hint(err) != "" {
			e.Why += "; " + fault.Hint(err)
		}
		return e, nil
	}
	e.Record, record.Key = record, key
	if folder != "" {
		err = record.Write(folder)
	}
	return e, err
}

// line formats an entry for a terminal.
func line(e papers.Entry) string {
	text := fmt.Sprintf("%-8s %-22s", e.Verdict(), e.Study.ID)
	if e.Record != nil {
		text += fmt.Sprintf(" %6.1f s", e.Record.Seconds)
	}
	if p := e.Published(); p != "" {
		text += "  as published " + p
	}
	if p := e.True(); p != "" {
		text += "  in truth " + p
	}
	if p := e.NotAsked(); p != "" {
		text += "  " + p
	}
	if e.Why != "" {
		text += "  (" + e.Why + ")"
	}
	return text
}

func writeAll(ask form.Asker, entries []papers.Entry, f StudyQuestion) error {
	if f.Out != "" {
		if err := os.MkdirAll(f.Out, 0o755); err != nil {
			return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
		}
		index := func(w io.Writer) error { return papers.WriteIndex(w, entries) }
		if err := writeWhole(filepath.Join(f.Out, "index.html"), index); err != nil {
			return err
		}
	}
	return writeSummary(entries, "all", f)
}

// writeSummary writes the outcomes of the studies named by which, if a summary file is given.
func writeSummary(entries []papers.Entry, which string, f StudyQuestion) error {
	if f.Summary == "" {
		return nil
	}
	command := "hearsay papers run " + which + " --data DIR --summary " + filepath.Base(f.Summary)
	if f.Quick {
		command += " --quick"
	}
	return writeWhole(f.Summary, func(w io.Writer) error { return papers.WriteSummary(w, entries, command) })
}

func writeWhole(path string, text func(io.Writer) error) error {
	if err := regular.Write(path, 0o644, text); err != nil {
		return fault.Wrap(err, "cannot write "+path, "check the space left and your rights there")
	}
	return nil
}

// studyKey adds the content of a study's data folder to key. It covers the whole folder of the source, because studies
// read more files than the one that locates it.
func studyKey(key string, s papers.Study, data string) string {
	if s.Data == "" {
		return key
	}
	folder, _, _ := strings.Cut(s.Data, "/")
	return key + " " + Stamp(filepath.Join(data, folder))
}

// programKey returns the key of everything besides the study that results depend on: this program, the place of the
// data, and whether the run is quick.
func programKey(f StudyQuestion) (string, error) {
	program, err := ProgramHash()
	if err != nil {
		return "", err
	}
	data, err := filepath.Abs(f.Data)
	if err != nil {
		return "", fault.Wrap(err, "cannot tell where "+f.Data+" is", "give --data as a whole path")
	}
	return fmt.Sprintf("%s quick=%t data=%s", program, f.Quick, data), nil
}

// ProgramHash returns the hash of the running program.
func ProgramHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fault.Wrap(err, "cannot find the program that runs", "run it by its path")
	}
	file, err := regular.Open(path)
	if err != nil {
		return "", fault.Wrap(err, "cannot read the program that runs", "run it again")
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fault.Wrap(err, "cannot read the program that runs", "run it again")
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
