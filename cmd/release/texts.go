package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// shells lists the shells that have a completion script, with the name of its file.
var shells = map[string]string{"bash": "hearsay.bash", "zsh": "_hearsay", "fish": "hearsay.fish", "powershell": "hearsay.ps1"}

// texts returns the manual pages and completion scripts that program writes. They are the same for all
// systems.
func texts(program string) ([]entry, error) {
	dir, err := os.MkdirTemp("", "texts")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := said(program, "docs", "--man", dir); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) == 0 {
		return nil, errors.Join(err, fault.New("the program writes no manual pages", "look at hearsay docs --man DIR"))
	}
	var files []entry
	for _, page := range pages {
		files = append(files, entry{"man/man1/" + filepath.Base(page), 0o644, mustRead(page)})
	}
	for shell, name := range shells {
		script, err := said(program, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{"completion/" + name, 0o644, script})
	}
	return files, nil
}

// said returns the output of a program.
func said(program string, arguments ...string) ([]byte, error) {
	var complaint bytes.Buffer
	cmd := exec.Command(program, arguments...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fault.New(fmt.Sprintf("%s %s: %v: %s", filepath.Base(program), strings.Join(arguments, " "), err, strings.TrimSpace(complaint.String())), "mend what the program says")
	}
	return out, nil
}

// here returns the texts of the program as it runs on this machine.
func (r *release) here() ([]entry, error) {
	dir, err := os.MkdirTemp("", "here")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "hearsay")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := build(r.top, pkg, r.commit.version, runtime.GOOS, runtime.GOARCH, program); err != nil {
		return nil, err
	}
	return texts(program)
}

// namespace is signed together with the file, so that the signature counts for nothing else.
const namespace = "hearsay-release"

// sign signs the checksums with an OpenSSH key by ssh-keygen, which writes the signature beside them.
func (r *release) sign(key string) error {
	file := filepath.Join(r.out, sumsFile)
	if err := os.Remove(file + ".sig"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if key == "" {
		return nil
	}
	if _, err := said("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", namespace, file); err != nil {
		return fault.Wrap(err, "the checksums are not signed", "give -sign an OpenSSH key; ssh-keygen -t ed25519 -f release.key makes one")
	}
	return nil
}

// noted checks that the changelog has a section of a tagged version. A commit without a tag needs none.
func noted(changelog []byte, version string) error {
	if strings.HasPrefix(version, "v0.0.0-") || strings.Contains("\n"+string(changelog), "\n## "+strings.TrimPrefix(strings.TrimSuffix(version, "+dirty"), "v")+" (") {
		return nil
	}
	return fault.New("CHANGELOG.md has no section of "+version, "cut it: rename Unreleased to "+strings.TrimPrefix(version, "v")+" (DATE) and tag that commit")
}
