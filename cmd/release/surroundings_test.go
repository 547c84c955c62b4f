package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// tool is a program that may be here.
func tool(t *testing.T, name, from string) string {
	t.Helper()
	testdata.Sequential(t)
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("SKIPPED: there is no %s here; Debian has it in %s", name, from)
	}
	return path
}

// What systemd finds that the unit still allows stays little.
func TestUnitIsHardened(t *testing.T) {
	analyze := tool(t, "systemd-analyze", "systemd")
	said, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", "../../deploy/hearsay@.service").CombinedOutput()
	found := regexp.MustCompile(`exposure level for hearsay@\S*.service: ([\d.]+)`).FindSubmatch(said)
	if found == nil {
		t.Skipf("SKIPPED: this systemd does not look at units offline (%v): %.200s", err, said)
	}
	if level, err := strconv.ParseFloat(string(found[1]), 64); err != nil || level > 1.5 {
		t.Errorf("the exposure is %s of 10, and was 1.3", found[1])
	}
	unit, err := os.ReadFile("../../deploy/hearsay@.service")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(unit), "/usr/local/bin/hearsay", "/bin/true") // which is there
	path := filepath.Join(t.TempDir(), "hearsay@heart.service")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

// The image of a program is built and run, without a registry: as nobody, with the program as its only file, which
// is found and says what it is asked.
func TestImageIsBuiltAndRun(t *testing.T) {
	buildah := tool(t, "buildah", "buildah")
	top, store := t.TempDir(), t.TempDir()
	writeAll(t, top, map[string]string{
		"src/go.mod": "module example.org/small\n\ngo " + goVersion(t) + "\n",
		"src/main.go": "package main\n\nimport \"os\"\n\nfunc main() {\n\t_, err := os.Stat(\"/bin\")\n\td, _ := os.Getwd()\n" +
			"\tprintln(os.Getuid(), d, os.Args[1], os.IsNotExist(err))\n}\n",
	})
	if err := build(filepath.Join(top, "src"), ".", "v1.2.3", "linux", runtime.GOARCH, filepath.Join(top, "hearsay")); err != nil {
		t.Fatal(err)
	}
	run := func(arguments ...string) (string, error) {
		cmd := exec.Command(buildah, append([]string{"--root", filepath.Join(store, "root"), "--runroot", filepath.Join(store, "run"), "--storage-driver", "vfs"}, arguments...)...)
		cmd.Env = append(os.Environ(), "BUILDAH_ISOLATION=chroot", "TMPDIR="+store)
		said, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(said)), err
	}
	image := func(file, name string) (string, error) {
		if said, err := run("bud", "--target", "packed", "-q", "-f", file, "-t", name, top); err != nil {
			return said, err
		}
		container, err := run("from", "-q", name)
		if err != nil {
			return container, err
		}
		return run("run", container, "--", "/hearsay", "--version")
	}
	writeAll(t, top, map[string]string{"Probe": "FROM scratch AS packed\nCOPY hearsay /hearsay\n"})
	if said, err := image(filepath.Join(top, "Probe"), "probe"); err != nil {
		t.Skipf("SKIPPED: this machine lets nobody make and run images (%v): %s", err, said)
	}
	said, err := image("../../deploy/Containerfile", "hearsay")
	if want := "65532 /data --version true"; err != nil || said != want {
		t.Errorf("%v: %q, want %q", err, said, want)
	}
	inspected, err := run("inspect", "--type", "image", "--format", "{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.StopSignal}}", "hearsay")
	if want := "65532:65532 [/hearsay] [--help] SIGTERM"; err != nil || inspected != want {
		t.Errorf("%v: %q, want %q", err, inspected, want)
	}
}
