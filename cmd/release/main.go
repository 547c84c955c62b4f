// Command release builds the files of a release from a commit. For every system it writes an archive
// with the program, its manual pages and shell completion, the licences of its parts and the files that an
// operator needs, and beside it a bill of materials (CycloneDX). It also writes the checksums of all files,
// and signs them with -sign KEY. Run it from the top of the repository:
//
//	go run ./cmd/release -out dist                        linux, darwin and windows, amd64 and arm64
//	go run ./cmd/release -out dist -targets linux/amd64
//	go run ./cmd/release -out dist -sign release.key       SHA256SUMS.sig, as ssh-keygen -Y verify reads it
//
// The same commit gives the same bytes in every folder, on every machine and on every day. The version
// and the time are those of the commit, the toolchain is the one that go.mod names, and no file depends
// on the environment.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// everywhere lists the systems of releases.
const everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("out", "dist", "folder of the release, made anew")
	targets := flag.String("targets", everywhere, "systems and processors")
	key := flag.String("sign", "", "OpenSSH key that signs the checksums; without one they are not signed")
	dirty := flag.Bool("dirty", false, "build what is not committed too: a version that says so, and that nobody can build again")
	flag.Parse()
	if err := run(".", *out, *targets, *key, *dirty); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\nhint: %s\n", err, hint(err))
		os.Exit(1)
	}
}

func hint(err error) string {
	if own := fault.Hint(err); own != "" {
		return own
	}
	return "run it from the top of the repository, with git and the go command on the PATH"
}

// run writes the release of the repository at top for targets into the folder out, and signs it with key. "" signs nothing.
func run(top, out, targets, key string, dirty bool) error {
	commit, err := commitOf(top, dirty)
	if err != nil {
		return err
	}
	if err := noted(mustRead(filepath.Join(top, "CHANGELOG.md")), commit.version); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	r := release{top: top, out: out, commit: commit}
	if r.texts, err = r.here(); err != nil {
		return err
	}
	for target := range strings.SplitSeq(targets, ",") {
		system, processor, ok := strings.Cut(target, "/")
		if !ok || !strings.Contains(","+everywhere+",", ","+target+",") {
			return fault.New(fmt.Sprintf("no release is for %q", target), "give some of "+everywhere)
		}
		fmt.Fprintf(os.Stderr, "%s for %s\n", commit.version, target)
		if err := r.pack(system, processor); err != nil {
			return err
		}
	}
	if err := r.sums(); err != nil {
		return err
	}
	return r.sign(key)
}
