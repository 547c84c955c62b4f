package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/internal/loopback"
)

func TestMain(m *testing.M) {
	if os.Getenv(form.CacheVariable) == "" { // the program is run as this test, too
		must(os.Setenv(form.CacheVariable, form.NoCache))
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} { // and collects its garbage when it does for its users, not when test.sh says
		must(os.Unsetenv(name))
	}
	testscript.Main(m, map[string]func(){"hearsay": main})
}

// The transcripts in testdata run the program as a process of its own. Beside
// testscript's commands they have those of scriptCommands.
func TestTranscripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands,
		Setup: func(env *testscript.Env) error {
			env.Setenv(form.CacheVariable, t.TempDir()) // what a script asks twice is computed once, as for any user
			return nil
		},
		Condition: scriptCondition,
	})
}

var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"fails":       func(ts *testscript.TestScript, _ bool, args []string) { complains(ts, form.ExitFault, args) },
	"misused":     func(ts *testscript.TestScript, _ bool, args []string) { complains(ts, form.ExitUsage, args) },
	"json":        oneJSON,
	"vary":        vary,
	"same":        sameNumbers,
	"tiny":        tinyDisk,
	"interrupt":   interrupt,
	"interrupted": interrupted,
	"into":        into,
	"damage":      damage,
	"ports":       holdPorts,
	"quote":       quoteMail,
	"compose":     compose,
}

// complains runs hearsay and wants the exit code, nothing on stdout, one error
// line and then one hint, which match, and no trace of an output directory:
//
//	fails ERROR HINT args...
func complains(ts *testscript.TestScript, code int, args []string) {
	before := entries(ts)
	err := ts.Exec("hearsay", args[2:]...)
	if got := exitCode(err); got != code {
		ts.Fatalf("exit code %d, want %d", got, code)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout is %q", out)
	}
	checkComplaint(ts, ts.ReadFile("stderr"), args[0], args[1])
	if after := entries(ts); !slices.Equal(before, after) {
		ts.Fatalf("the folder held %v, now %v", before, after)
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return form.ExitOK
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// checkComplaint wants the last two lines to be the only error and the only
// hint.
func checkComplaint(ts *testscript.TestScript, stderr, what, hint string) {
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	last := strings.Join(lines[max(0, len(lines)-2):], "\n")
	if strings.Count("\n"+stderr, "\nerror: ") != 1 || strings.Count("\n"+stderr, "\nhint: ") != 1 ||
		!strings.HasPrefix(last, "error: ") || !strings.Contains(last, "\nhint: ") {
		ts.Fatalf("not one error line and then one hint:\n%s", stderr)
	}
	complaint, advice, _ := strings.Cut(last, "\nhint: ")
	for text, want := range map[string]string{complaint: what, advice: hint} {
		if !regexp.MustCompile(want).MatchString(text) {
			ts.Fatalf("%q does not match %q", text, want)
		}
	}
}

// entries lists everything below the script's folder but its own log.
func entries(ts *testscript.TestScript) []string {
	var list []string
	ts.Check(filepath.WalkDir(ts.MkAbs("."), func(path string, _ os.DirEntry, err error) error {
		list = append(list, path)
		return err
	}))
	return list
}

// oneJSON wants exactly one JSON value on stdout, and in it, below the keys of a
// path, a value whose text matches; ! json PATH wants that it is not there:
//
//	json final.test_accuracy ^0.9
func oneJSON(ts *testscript.TestScript, neg bool, args []string) {
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var value any
	ts.Check(decoder.Decode(&value))
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		ts.Fatalf("stdout holds more than one JSON value: %v", err)
	}
	if len(args) == 0 {
		return
	}
	for key := range strings.SplitSeq(args[0], ".") {
		below, _ := value.(map[string]any)
		if value = below[key]; value == nil {
			break
		}
	}
	text, err := json.Marshal(value)
	ts.Check(err)
	if regexp.MustCompile(args[1]).Match(text) == neg {
		ts.Fatalf("%s is %s", args[0], text)
	}
}

// vary writes spec.yaml: base.yaml with some texts replaced, each of which must
// be there.
//
//	vary OLD NEW [OLD NEW]...
func vary(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile("base.yaml")
	for pair := range slices.Chunk(args, 2) {
		if !strings.Contains(text, pair[0]) {
			ts.Fatalf("base.yaml has no %q", pair[0])
		}
		text = strings.Replace(text, pair[0], strings.ReplaceAll(pair[1], `\n`, "\n"), 1)
	}
	ts.Check(os.WriteFile(ts.MkAbs("spec.yaml"), []byte(text), 0o666))
}

// sameNumbers wants two result files to be the same but for the time they took
// and the seed of no importance: what the wall clock gave.
func sameNumbers(ts *testscript.TestScript, _ bool, args []string) {
	var texts []string
	for _, name := range args {
		var r map[string]any
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &r))
		delete(r, "wall_seconds")
		delete(r, "steps_per_second")
		text, err := json.MarshalIndent(r, "", " ")
		ts.Check(err)
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		ts.Fatalf("%s and %s differ", args[0], args[1])
	}
}

// into runs hearsay with stdout going to a file, and wants exit code 1:
//
//	into FILE args...
func into(ts *testscript.TestScript, _ bool, args []string) {
	file, err := os.OpenFile(args[0], os.O_WRONLY, 0)
	ts.Check(err)
	defer file.Close()
	var stderr bytes.Buffer
	cmd := process(ts, args[1:])
	cmd.Stdout, cmd.Stderr = file, &stderr
	if err := cmd.Run(); exitCode(err) != form.ExitFault {
		ts.Fatalf("exit code %d: %s", exitCode(err), stderr.String())
	}
	checkComplaint(ts, stderr.String(), "no space left", "free some space")
}

// damage changes a byte in every page of a file but the first.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	if files, err := os.ReadDir(ts.MkAbs(args[0])); err == nil { // all of a folder, at their last byte
		for _, file := range files {
			path := filepath.Join(ts.MkAbs(args[0]), file.Name())
			text, err := os.ReadFile(path)
			ts.Check(err)
			text[len(text)-1] ^= 1
			ts.Check(os.WriteFile(path, text, 0o600))
		}
		return
	}
	text := []byte(ts.ReadFile(args[0]))
	for at := 4096 + 2048; at < len(text); at += 4096 {
		text[at] ^= 1
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o600))
}

// process is hearsay in the script's folder, not yet started.
func process(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath("hearsay")
	ts.Check(err)
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	return cmd
}

// interrupt runs hearsay, presses Ctrl-C when a line of its stderr matches, and
// wants that it stops with a clear word and leaves nothing behind:
//
//	interrupt LINE args...
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	before := entries(ts)
	pressed(ts, args[0], "nothing was written; run it again", args[1:])
	if after := entries(ts); !slices.Equal(before, after) {
		ts.Fatalf("the folder held %v, now %v", before, after)
	}
}

// interrupted is interrupt of what keeps something, and says so in its hint:
//
//	interrupted LINE HINT args...
func interrupted(ts *testscript.TestScript, _ bool, args []string) {
	pressed(ts, args[0], args[1], args[2:])
}

func pressed(ts *testscript.TestScript, line, hint string, args []string) {
	watch := &watcher{pattern: regexp.MustCompile(line)}
	cmd := process(ts, args)
	watch.matched = func() { ts.Check(cmd.Process.Signal(os.Interrupt)) }
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, watch
	if err := cmd.Run(); exitCode(err) != form.ExitFault {
		ts.Fatalf("exit code %d, stdout %q, stderr:\n%s", exitCode(err), stdout.String(), watch.seen.String())
	}
	if stdout.Len() > 0 {
		ts.Fatalf("stdout is %q", stdout.String())
	}
	checkComplaint(ts, watch.seen.String(), "^error: stopped before the end$", hint)
}

// watcher calls matched once, when what it has seen matches.
type watcher struct {
	seen    bytes.Buffer
	pattern *regexp.Regexp
	matched func()
}

func (w *watcher) Write(p []byte) (int, error) {
	w.seen.Write(p)
	if w.matched != nil && w.pattern.Match(w.seen.Bytes()) {
		w.matched()
		w.matched = nil
	}
	return len(p), nil
}

// tinyDisk puts a file system of so many bytes on a folder:
//
//	tiny FOLDER 200k
func tinyDisk(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(folder, 0o777))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size="+args[1], "tmpfs", folder).Run())
	ts.Defer(func() { ts.Check(exec.Command("umount", folder).Run()) })
}

// scriptCondition knows [mount]: whether this process may mount a tiny disk.
func scriptCondition(name string) (bool, error) {
	switch name {
	case "mount":
		return canMount(), nil
	case "full":
		_, err := os.Stat("/dev/full")
		return err == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func canMount() bool {
	dir, err := os.MkdirTemp("", "mount")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
}

// holdPorts keeps ports of this machine for nodes, and puts their numbers into the environment:
//
//	ports PORT1 PORT2
func holdPorts(ts *testscript.TestScript, _ bool, args []string) {
	ports, err := loopback.Hold(len(args))
	ts.Check(err)
	ts.Defer(func() { ts.Check(ports.Close()) })
	for i, name := range args {
		ts.Setenv(name, fmt.Sprint(ports[i].Number))
	}
}

// quoteMail writes a file as a mail program quotes it in an answer:
//
//	quote FILE MAIL
func quoteMail(ts *testscript.TestScript, _ bool, args []string) {
	text := "Dear all,\r\n\r\nthis is what Lyon has sent:\r\n"
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		text += "> " + strings.TrimSuffix(line, "\n") + "\r\n"
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
