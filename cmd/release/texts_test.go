package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// The archive has the manual pages that the program writes, and a script for each shell.
func TestTexts(t *testing.T) {
	testdata.Sequential(t)
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the program of this test is a shell script")
	}
	top := t.TempDir()
	writeAll(t, top, map[string]string{"program": "#!/bin/sh\nif [ $1 = docs ]; then echo page > $3/hearsay-run.1; else echo \"for $2\"; fi\n", "silent": "#!/bin/sh\n", "broken": "#!/bin/sh\nexit 1\n"})
	for _, name := range []string{"program", "silent", "broken"} {
		if err := os.Chmod(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files, err := texts(filepath.Join(top, "program"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for path, want := range map[string]string{"man/man1/hearsay-run.1": "page\n", "completion/_hearsay": "for zsh\n", "completion/hearsay.bash": "for bash\n"} {
		if !slices.ContainsFunc(files, func(e entry) bool { return e.path == path && string(e.content) == want }) {
			t.Errorf("there is no %s with %q", path, want)
		}
	}
	for _, name := range []string{"silent", "broken"} {
		if _, err := texts(filepath.Join(top, name)); err == nil || hint(err) == "" {
			t.Errorf("the %s program has texts (%v)", name, err)
		}
	}
}

// ssh-keygen accepts the signature of the checksums, and of no other file; without a key an old signature goes.
func TestSign(t *testing.T) {
	keygen := tool(t, "ssh-keygen", "openssh-client")
	top := t.TempDir()
	path := func(name string) string { return filepath.Join(top, name) }
	if said, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path("key")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	writeAll(t, top, map[string]string{sumsFile: "00  a\n", "signers": "releases " + string(mustRead(path("key.pub")))})
	r := release{out: top}
	if err := r.sign(path("key")); err != nil {
		t.Fatal(err)
	}
	once := mustRead(path(sumsFile + ".sig"))
	check := func() error {
		cmd := exec.Command(keygen, "-Y", "verify", "-f", path("signers"), "-I", "releases", "-n", namespace, "-s", path(sumsFile+".sig"))
		file, err := os.Open(path(sumsFile))
		if err != nil {
			return err
		}
		defer file.Close()
		cmd.Stdin = file
		return cmd.Run()
	}
	if err := check(); err != nil {
		t.Errorf("the signature does not hold: %v", err)
	}
	if err := r.sign(path("key")); err != nil || string(mustRead(path(sumsFile+".sig"))) != string(once) {
		t.Errorf("the second signature is another (%v)", err)
	}
	writeAll(t, top, map[string]string{sumsFile: "01  a\n"})
	if err := check(); err == nil {
		t.Error("the signature holds for another file")
	}
	if err := r.sign(path("none")); err == nil || hint(err) == "" {
		t.Errorf("a key that does not exist signs (%v)", err)
	}
	if err := r.sign(""); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path(sumsFile + ".sig")); !os.IsNotExist(err) {
		t.Errorf("the old signature is still there (%v)", err)
	}
}

// A tagged version has a section in the changelog, which can be read at once.
func TestNoted(t *testing.T) {
	for version, want := range map[string]bool{"v0.1.0": true, "v0.1.0+dirty": true, "v0.2.0": false, "v0.0.0-20261122120000-0123456789ab": true} {
		if err := noted([]byte("# Changes\n\n## Unreleased\n\n## 0.1.0 (2026-11-28)\n"), version); (err == nil) != want {
			t.Errorf("%s: %v", version, err)
		}
	}
	changelog := mustRead("../../CHANGELOG.md")
	if err := noted(changelog, "v0.1.0"); err != nil {
		t.Error(err)
	}
	for _, section := range strings.Split(string(changelog), "\n## ")[2:] {
		if n := strings.Count(section, "\n- "); n > 60 {
			t.Errorf("%.20s has %d bullets, at most 60: a merge may have brought a condensed list back", section, n)
		}
	}
}
