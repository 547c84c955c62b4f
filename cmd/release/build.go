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
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// settings returns the environment variables that a build depends on. They are all set, so that the same
// sources give the same bytes in every environment.
func settings(goVersion, system, processor string) []string {
	return []string{
		"GOOS=" + system, "GOARCH=" + processor, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOFIPS140=off",
		"GOWORK=off", "GODEBUG=", "GOTOOLCHAIN=go" + goVersion,
	}
}

// build builds package pkg of the module at top into the file to.
func build(top, pkg, version, system, processor, to string) error {
	wanted, err := goOf(top)
	if err != nil {
		return err
	}
	to, err = filepath.Abs(to)
	if err != nil {
		return err
	}
	set := "-s -w -buildid= -X github.com/hearsay-dp/hearsay/experiment.release=" + version
	_, err = goCommand(top, settings(wanted, system, processor), "build", "-trimpath", "-buildvcs=false", "-pgo=off", "-ldflags", set, "-o", to, pkg)
	return err
}

// goOf returns the version of Go that the module at top names: that of its toolchain line, or else of its go line.
func goOf(top string) (string, error) {
	said, err := goCommand(top, nil, "mod", "edit", "-json")
	if err != nil {
		return "", err
	}
	var module struct{ Go, Toolchain string }
	if err := json.Unmarshal(said, &module); err != nil {
		return "", err
	}
	if module.Toolchain != "" {
		return strings.TrimPrefix(module.Toolchain, "go"), nil
	}
	return module.Go, nil
}

func goCommand(top string, more []string, arguments ...string) ([]byte, error) {
	cmd := exec.Command("go", arguments...)
	cmd.Dir, cmd.Env = top, slices.Concat(os.Environ(), []string{"PWD=" + top}, more)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fault.New(fmt.Sprintf("go %s: %v: %s", arguments[0], err, strings.TrimSpace(said.String())), "mend what the go command says")
	}
	return out, nil
}

// pkg is the package that is released.
const pkg = "./cmd/hearsay"

// A release is a release under construction.
type release struct {
	top, out string
	commit   commit
	texts    []entry // manual pages and completion scripts
}

// extra returns the files of an archive besides the program, its licences and the bill of materials.
func extra(system string) []string {
	files := []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "CITATION.cff", "docs/EGRESS.md", "deploy/alerts.yaml", "web/built/NOTICE.txt"}
	if system == "linux" {
		files = append(files, "deploy/hearsay@.service", "deploy/hearsay-model@.service", "deploy/Containerfile", "deploy/compose.yaml")
	}
	return files
}

// pack builds for one system and writes the archive and its bill of materials.
func (r *release) pack(system, processor string) error {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name, program := fmt.Sprintf("hearsay_%s_%s_%s", r.commit.version, system, processor), "hearsay"
	if system == "windows" {
		program += ".exe"
	}
	built := filepath.Join(dir, program)
	if err := build(r.top, pkg, r.commit.version, system, processor, built); err != nil {
		return err
	}
	wanted, err := goOf(r.top)
	if err != nil {
		return err
	}
	parts, err := partsOf(r.top, pkg, settings(wanted, system, processor), built)
	if err != nil {
		return err
	}
	bill, err := billOf(built, r.commit, system, processor, parts)
	if err != nil {
		return err
	}
	files, err := r.files(system, parts)
	if err != nil {
		return err
	}
	files = append(files, entry{program, 0o755, mustRead(built)}, entry{"hearsay.cdx.json", 0o644, bill})
	end, write := ".tar.gz", writeTar
	if system == "windows" {
		end, write = ".zip", writeZip
	}
	return errors.Join(
		writeFile(filepath.Join(r.out, name+".cdx.json"), func(w io.Writer) error { _, err := w.Write(bill); return err }),
		writeFile(filepath.Join(r.out, name+end), func(w io.Writer) error { return write(w, name, files, r.commit.time) }),
	)
}

// files returns the licences of parts and the extra files.
func (r *release) files(system string, parts []part) ([]entry, error) {
	files := append([]entry{{"THIRD_PARTY_LICENSES.txt", 0o644, licencesOf(parts)}}, r.texts...)
	for _, path := range extra(system) {
		content, err := os.ReadFile(filepath.Join(r.top, path))
		if err != nil {
			return nil, err
		}
		files = append(files, entry{path, 0o644, content})
	}
	return files, nil
}

func mustRead(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		panic("release: what was just built cannot be read: " + err.Error())
	}
	return content
}
