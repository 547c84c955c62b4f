// Command release builds what is handed out of a commit: for every system an archive with the
// program, the licences of all that is in it and what an operator needs, beside it a bill of
// materials (CycloneDX), and the checksums of all. From the top of the repository:
//
//	go run ./cmd/release -out dist                        linux, darwin and windows, amd64 and arm64
//	go run ./cmd/release -out dist -targets linux/amd64
//
// The same commit gives the same bytes, whatever the folder, the machine and the day: the version and
// the time are the commit's, the toolchain is the one that go.mod names, and nothing of the
// surroundings gets into a file.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// everywhere are the systems that releases are for.
const everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("out", "dist", "folder of the release, made anew")
	targets := flag.String("targets", everywhere, "systems and processors")
	dirty := flag.Bool("dirty", false, "build what is not committed too: a version that says so, and that nobody can build again")
	flag.Parse()
	if err := run(".", *out, *targets, *dirty); err != nil {
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

// run releases the repository at top.
func run(top, out, targets string, dirty bool) error {
	commit, err := commitOf(top, dirty)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	r := release{top: top, out: out, commit: commit}
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
	return r.sums()
}
