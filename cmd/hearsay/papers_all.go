package main

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

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/papers"
)

// runStudies runs studies, several side by side, tells each verdict in order, as if one had followed the other, and
// writes what spans them.
func runStudies(cmd *cobra.Command, studies []papers.Study, f studyFlags) error {
	key, err := programKey(f)
	if err != nil {
		return err
	}
	entries := make([]papers.Entry, len(studies))
	var written atomic.Int32
	p := terminal.PulseOf(cmd.ErrOrStderr())
	p.Hint = goesOn(&written, f.out, p.Hint)
	err = sideBySide(papers.Together(cmd.Context()), len(studies), f.workers, func(ctx context.Context, i int, say func(func())) error {
		e, err := oneOfAll(ctx, studies[i], f, key, func(text string) { say(func() { fmt.Fprintln(cmd.ErrOrStderr(), text) }) })
		if err != nil {
			return err
		}
		if entries[i] = e; f.out != "" && e.Record != nil {
			written.Add(1)
		}
		if !wantJSON(cmd) {
			say(func() { fmt.Fprintln(cmd.OutOrStdout(), line(e)) })
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
	if err := writeAll(cmd, entries, f); err != nil { // an index of what was run
		return err
	}
	if wantJSON(cmd) {
		if err := printJSON(cmd, entries); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return fault.New(fmt.Sprintf("%d of %d studies do not show what they should: %s", len(failed), len(studies), strings.Join(failed, ", ")),
			"run one of them alone: hearsay papers run "+failed[0])
	}
	return nil
}

// goesOn is the advice after an interruption: so many studies are in a folder already; usual is what else there is to say.
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

// oneOfAll runs a study, or says why not; one that breaks is no reason to stop, but an
// interruption is.
func oneOfAll(ctx context.Context, s papers.Study, f studyFlags, key string, say func(string)) (papers.Entry, error) {
	e := papers.Entry{Study: s}
	key = studyKey(key, s, f.data)
	folder := ""
	if f.out != "" {
		folder = filepath.Join(f.out, s.ID)
		if e.Record = s.Recall(folder, key); e.Record != nil {
			e.Why = "from an earlier run"
			return e, nil
		}
	}
	if err := checkStudyData(s, f.data); err != nil {
		e.Why = err.Error() + "; " + fault.Hint(err)
		return e, nil
	}
	record, err := s.Make(ctx, f.data, f.quick, func(text string) { say(s.ID + ": " + text) })
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

// line is an entry on a terminal.
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
	if e.Why != "" {
		text += "  (" + e.Why + ")"
	}
	return text
}

func writeAll(cmd *cobra.Command, entries []papers.Entry, f studyFlags) error {
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
		}
		index := func(w io.Writer) error { return papers.WriteIndex(w, entries) }
		if err := writeWhole(filepath.Join(f.out, "index.html"), index); err != nil {
			return err
		}
	}
	return writeSummary(entries, "all", f)
}

// writeSummary writes what came out of the studies that which names, if a file for it is given.
func writeSummary(entries []papers.Entry, which string, f studyFlags) error {
	if f.summary == "" {
		return nil
	}
	command := "hearsay papers run " + which + " --data DIR --summary " + filepath.Base(f.summary)
	if f.quick {
		command += " --quick"
	}
	return writeWhole(f.summary, func(w io.Writer) error { return papers.WriteSummary(w, entries, command) })
}

func writeWhole(path string, text func(io.Writer) error) error {
	if err := regular.Write(path, 0o644, text); err != nil {
		return fault.Wrap(err, "cannot write "+path, "check the space left and your rights there")
	}
	return nil
}

// studyKey is key with all that a study's data folder holds: that of the same source, for studies read
// more than the one file by which it is found.
func studyKey(key string, s papers.Study, data string) string {
	if s.Data == "" {
		return key
	}
	folder, _, _ := strings.Cut(s.Data, "/")
	return key + " " + stamp(filepath.Join(data, folder))
}

// programKey is what results depend on besides their study: this very program, where the data are and
// how much of it is done.
func programKey(f studyFlags) (string, error) {
	program, err := programHash()
	if err != nil {
		return "", err
	}
	data, err := filepath.Abs(f.data)
	if err != nil {
		return "", fault.Wrap(err, "cannot tell where "+f.data+" is", "give --data as a whole path")
	}
	return fmt.Sprintf("%s quick=%t data=%s", program, f.quick, data), nil
}

// programHash is that of the program that runs.
func programHash() (string, error) {
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
