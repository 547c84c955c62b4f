package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// python is the top of the Python package.
func python(t *testing.T) string {
	t.Helper()
	top, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// pythonAlone is Python without packages of others.
const pythonAlone = "alone"

// pythons are the interpreters that there are: those with the machine's packages, and one
// without any (-S), by what is to be said of them.
func pythons(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, name := range []string{"/usr/bin/python3", "python3"} { // Debian's has Debian's numpy
		path, err := exec.LookPath(name)
		if err != nil || exec.Command(path, "-c", "import sys; sys.exit(sys.version_info < (3, 9))").Run() != nil {
			continue
		}
		if found[pythonAlone] == nil {
			found[pythonAlone] = []string{path, "-S", "-B"}
		}
		if exec.Command(path, "-c", "import numpy, pandas, sklearn").Run() == nil {
			found["with numpy, pandas and scikit-learn"] = []string{path, "-B"}
			break
		}
	}
	if len(found) == 0 {
		t.Skip("SKIPPED: there is no python3 from 3.9 on")
	}
	return found
}

// The Python package passes its own tests, with this program, by itself and with the
// packages that it makes use of.
func TestPythonPackage(t *testing.T) {
	testdata.Sequential(t)
	program, err := exec.LookPath("hearsay")
	if err != nil {
		t.Fatal(err)
	}
	found := pythons(t)
	if len(found) == 1 {
		t.Log("not tried with numpy, pandas and scikit-learn: install Debian's python3-matplotlib python3-networkx python3-numpy python3-pandas python3-sklearn")
	}
	for name, command := range found {
		t.Run(name, func(t *testing.T) {
			tests := []string{"discover", "-s", "tests", "-t", "."}
			if name == pythonAlone && len(found) > 1 { // commands are the same with packages and without
				tests = []string{"tests.test_model", "tests.test_commands.TestFiles"}
			}
			cmd := exec.Command(command[0], slices.Concat(command[1:], []string{"-W", "error::ResourceWarning", "-m", "unittest"}, tests)...)
			cmd.Dir, cmd.Env = python(t), append(os.Environ(), "HEARSAY="+program)
			if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "\nOK") {
				t.Fatalf("%v\n%s", err, said)
			}
		})
	}
}

// The types of the Python package are right, where there is mypy.
func TestPythonTypes(t *testing.T) {
	testdata.Sequential(t)
	if _, err := exec.LookPath("mypy"); err != nil {
		t.Skip("SKIPPED: there is no mypy; Debian has it as a package")
	}
	cmd := exec.Command("mypy", "--cache-dir", t.TempDir())
	cmd.Dir = python(t)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
}

// The example of the Python package runs from one end to the other.
func TestPythonExample(t *testing.T) {
	testdata.Sequential(t)
	program, err := exec.LookPath("hearsay")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pythons(t)[pythonAlone][0], "-S", "-B", "examples/own_graph.py", t.TempDir())
	cmd.Dir, cmd.Env = python(t), append(os.Environ(), "HEARSAY="+program, "PYTHONPATH="+python(t))
	said, err := cmd.CombinedOutput()
	for _, want := range []string{"unit record, by pairwise", "Nothing else loses less", "of unseen rows", "the page: "} {
		if err != nil || !strings.Contains(string(said), want) {
			t.Fatalf("%v: no %q in\n%s", err, want, said)
		}
	}
}

// The Python package installs without network and without any package of others.
func TestPythonInstalls(t *testing.T) {
	testdata.Sequential(t)
	command, dir := pythons(t)[pythonAlone][0], t.TempDir()
	script := "import sys; sys.path.insert(0, 'backend'); import hearsay_build as b; print(b.build_wheel(sys.argv[1]))"
	var wheels [2][]byte
	for i := range wheels {
		cmd := exec.Command(command, "-S", "-B", "-c", script, dir)
		cmd.Dir = python(t)
		name, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if wheels[i], err = os.ReadFile(filepath.Join(dir, strings.TrimSpace(string(name)))); err != nil {
			t.Fatal(err)
		}
	}
	if string(wheels[0]) != string(wheels[1]) {
		t.Error("the same files give two wheels")
	}
	if exec.Command(command, "-m", "pip", "--version").Run() != nil {
		t.Skip("SKIPPED: there is no pip to install with")
	}
	target := filepath.Join(dir, "installed")
	if said, err := exec.Command(command, "-m", "pip", "install", "--no-index", "--target", target, python(t)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	cmd := exec.Command(command, "-S", "-B", "-c", "import hearsay; print(hearsay.__file__)")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONPATH="+target)
	if said, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), target) {
		t.Fatalf("%v: %s", err, said)
	}
}
