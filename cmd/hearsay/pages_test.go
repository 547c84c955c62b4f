package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/loopback"
)

// A block is a fenced or an indented block of a page: its label after the fence, and its lines.
type block struct {
	label string
	lines []string
}

// blocks returns the fenced blocks of a Markdown text.
func blocks(text string) (all []block) {
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		label, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			all, inside = append(all, block{label: label}), true
		case fence:
			inside = false
		case inside:
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		}
	}
	return all
}

// shown is a command of a page with the lines that the page shows of its output.
type shown struct {
	command string
	lines   []string
}

// commands returns the commands of a console block.
func (b block) commands() (all []shown) {
	for _, line := range b.lines {
		if command, is := strings.CutPrefix(line, "$ "); is {
			all = append(all, shown{command: command})
		} else if line != "..." && strings.TrimSpace(line) != "" {
			last := &all[len(all)-1]
			last.lines = append(last.lines, strings.TrimRight(line, " "))
		}
	}
	return all
}

// missing returns the first line that a page shows and the output does not have after the lines before it.
func (s shown) missing(output string) string {
	rest := strings.Split(output, "\n")
	for _, line := range s.lines {
		i := slices.IndexFunc(rest, func(said string) bool { return strings.TrimRight(said, " ") == line })
		if i < 0 {
			return line
		}
		rest = rest[i+1:]
	}
	return ""
}

// shell returns a command in the folder dir as a user types it.
func shell(dir, command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	return cmd
}

// skipped are commands of README that take minutes, need data or installed programs, or go on until they are stopped.
var skipped = regexp.MustCompile(`^(run|sweep|demo|serve|rehearse|papers run|attack membership) `)

// README's commands work as they are pasted, one after the other, from the top of the repository.
func TestReadmeCommandsWork(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it runs eight programs")
	}
	top, out := filepath.Join("..", ".."), t.TempDir()
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(text)) {
		line, is := strings.CutPrefix(line, "    go run ./cmd/hearsay ")
		line, _, _ = strings.Cut(line, " #")
		if line = strings.TrimSpace(line) + " "; !is || skipped.MatchString(line) {
			continue
		}
		if said, err := shell(top, "hearsay "+strings.ReplaceAll(line, " out/", " "+out+"/")).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, said)
		}
		ran++
	}
	if ran < 6 {
		t.Errorf("README has %d commands", ran)
	}
}

// The commands of every tutorial work as they are pasted, one after the other, and print the lines that the
// page shows. A line "..." stands for any lines. A block whose label has a file name is that file.
func TestTutorials(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it runs some thirty programs")
	}
	pages, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(pages) < 6 {
		t.Fatalf("%d tutorials: %v", len(pages), err)
	}
	for _, page := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(text, []byte("\n")); n > 80 {
				t.Errorf("it has %d lines, at most 80", n)
			}
			if strings.Contains(string(text), "import torch") && exec.Command("/usr/bin/python3", "-c", "import torch").Run() != nil {
				t.Skip("SKIPPED: there is no PyTorch here; Debian has it in python3-torch")
			}
			follow(t, string(text))
		})
	}
}

// follow writes the files of a page, runs its commands in a folder of their own, and compares their output.
func follow(t *testing.T, text string) {
	ports, err := loopback.Hold(2)
	if err != nil {
		t.Fatal(err)
	}
	defer ports.Close()
	for i, p := range ports {
		text = strings.ReplaceAll(text, fmt.Sprintf("127.0.0.1:410%d", i+1), p.Address())
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(top, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", filepath.Join(top, "python"))
	ran := 0
	for _, b := range blocks(text) {
		if _, name, ok := strings.Cut(b.label, " "); ok {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(b.lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if b.label != "console" {
			continue
		}
		for _, s := range b.commands() {
			ran++
			var said, complaint bytes.Buffer
			cmd := shell(dir, s.command)
			if before, background := strings.CutSuffix(s.command, " &"); background {
				cmd = shell(dir, "exec "+before)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := cmd.Wait(); err != nil {
						t.Errorf("%s: %v", s.command, err)
					}
				}()
				continue
			}
			cmd.Stdout, cmd.Stderr = &said, &complaint
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s: %v\n%s%s", s.command, err, said.String(), complaint.String())
			}
			if line := s.missing(said.String()); line != "" {
				t.Errorf("%s does not print %q; it prints\n%s", s.command, line, said.String())
			}
		}
	}
	if ran == 0 {
		t.Error("the page has no command")
	}
}

// A line that the output has not, and lines in another order, are noticed.
func TestShownLinesAreCompared(t *testing.T) {
	s := block{lines: []string{"$ a", "first", "...", "last"}}.commands()[0]
	if s.command != "a" || s.missing("x\nfirst  \ny\nlast\n") != "" || s.missing("last\nfirst\n") != "last" || s.missing("first\n") != "last" {
		t.Errorf("%+v is compared wrongly", s)
	}
}
