package faults

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var heavy = flag.Bool("heavy", false, "run everything, for many minutes")

// built is a program to be tested as it is, such as one that was handed out: tests that kill
// nodes at failpoints need one that is built with the tag failpoints.
var built = flag.String("program", "", "test this program instead of building one")

// program is the path of hearsay, built with failpoints.
var program string

func TestMain(m *testing.M) {
	if targets := os.Getenv(dripTargets); targets != "" { // a stranger in a namespace of its own
		dripAll(context.Background(), strings.Split(targets, ","), 20)
		return
	}
	flag.Parse()
	asUsers()
	if err := flag.Set("test.parallel", "6"); err != nil { // they wait more than they work
		panic(err)
	}
	os.Exit(run(m))
}

// asUsers has nodes collect their garbage when they do for their users, whatever test.sh lets this process do.
func asUsers() {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
}

func run(m *testing.M) int {
	if program = *built; program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "hearsay-faults-program")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "hearsay")
	build := exec.Command("go", "build", "-tags", "failpoints", "-o", program, "github.com/hearsay-dp/hearsay/cmd/hearsay")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot build hearsay:", err)
		return 1
	}
	return m.Run()
}

// onlyHeavy skips a test that takes long, unless it is asked for.
func onlyHeavy(t *testing.T) {
	t.Helper()
	if !*heavy {
		t.Skip("SKIPPED: takes long; -heavy runs it")
	}
}

// notShort skips a test where only the quickest are wanted.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
}
