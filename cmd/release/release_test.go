package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// whole builds the program itself, twice and with nothing kept from one to the other: minutes.
//
//	go test ./cmd/release -run Whole -whole -timeout 2h
var whole = flag.Bool("whole", false, "build the release of this system twice, in two folders, and compare")

var at = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// The same sources in two folders give the same program, byte for byte, and none of it says where they were.
func TestSameSourcesGiveTheSameProgram(t *testing.T) {
	testdata.Sequential(t)
	const source = "package main\n\nvar release string\n\nfunc main() { println(release); panic(1) }\n" // small: no library
	var built [2][]byte
	for i := range built {
		top := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "here")
		writeAll(t, top, map[string]string{"go.mod": "module example.org/small\n\ngo " + goVersion(t) + "\n", "main.go": source})
		program := filepath.Join(top, "..", "program")
		t.Setenv("GOFLAGS", []string{"-buildvcs=false", "-ldflags=-X=main.release=other"}[i]) // which surroundings may say
		if err := build(top, ".", "v1.2.3", "linux", runtime.GOARCH, program); err != nil {
			t.Fatal(err)
		}
		built[i] = mustRead(program)
		if bytes.Contains(built[i], []byte(top)) {
			t.Error("the program says where its sources were")
		}
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("the same sources give two programs")
	}
}

// goVersion is that of the module.
func goVersion(t *testing.T) string {
	t.Helper()
	v, err := goOf("../..")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func writeAll(t *testing.T, top string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Archives are the same whatever the order of the files and the zone of the time, and hold what they were given.
func TestArchives(t *testing.T) {
	files := []entry{{"hearsay", 0o755, []byte("program")}, {"docs/a.md", 0o644, []byte("text")}, {"LICENSE", 0o644, nil}}
	turned := slices.Clone(files)
	slices.Reverse(turned)
	for name, write := range map[string]func(io.Writer, string, []entry, time.Time) error{"tar": writeTar, "zip": writeZip} {
		var once, again bytes.Buffer
		if err := write(&once, "top", files, at); err != nil {
			t.Fatal(err)
		}
		if err := write(&again, "top", turned, at.In(time.UTC)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once.Bytes(), again.Bytes()) {
			t.Errorf("%s: two archives of the same files", name)
		}
		want := "top/LICENSE 0644 \ntop/docs/a.md 0644 text\ntop/hearsay 0755 program\n"
		if got := map[string]func(*testing.T, []byte) string{"tar": listTar, "zip": listZip}[name](t, once.Bytes()); got != want {
			t.Errorf("%s holds\n%swant\n%s", name, got, want)
		}
	}
}

func listTar(t *testing.T, archive []byte) (text string) {
	packed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(packed); ; {
		header, err := in.Next()
		if err == io.EOF {
			return text
		}
		if err != nil || !header.ModTime.Equal(at) || header.Uname != "" || header.Uid != 0 {
			t.Fatalf("%+v: %v", header, err)
		}
		content, _ := io.ReadAll(in)
		text += fmt.Sprintf("%s %04o %s\n", header.Name, header.Mode, content)
	}
}

func listZip(t *testing.T, archive []byte) (text string) {
	in, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range in.File {
		r, err := file.Open()
		if err != nil || !file.Modified.Equal(at) {
			t.Fatalf("%s of %v: %v", file.Name, file.Modified, err)
		}
		content, _ := io.ReadAll(r)
		text += fmt.Sprintf("%s %04o %s\n", file.Name, file.Mode().Perm(), content)
	}
	return text
}

// The bill of this very program names its modules with their licences, and is the same each time.
func TestBill(t *testing.T) {
	testdata.Sequential(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := partsOf("../..", "./internal/yamltext", nil, program)
	if err != nil {
		t.Fatal(err)
	}
	of := commit{"v1.2.3", at}
	once, err := billOf(program, of, "linux", "amd64", parts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := billOf(program, of, "linux", "amd64", parts)
	if err != nil || !bytes.Equal(once, again) {
		t.Errorf("two bills of one program (%v)", err)
	}
	var said bill
	if err := json.Unmarshal(once, &said); err != nil || said.Format != "CycloneDX" || len(said.Components) != len(parts) || len(said.Dependencies[0].On) != len(parts) {
		t.Fatalf("%v: %d components of %d parts", err, len(said.Components), len(parts))
	}
	if i := slices.IndexFunc(parts, func(p part) bool { return p.name == "std" }); i < 0 || parts[i].licence() != "BSD-3-Clause" {
		t.Error("Go's own library is not in it, under its licence")
	}
	for _, p := range parts {
		if strings.HasPrefix(p.url, "pkg:npm/") && (p.says == "" || p.name == "esbuild") {
			t.Errorf("%s is under %q", p.name, p.says)
		}
	}
}

// A module that is linked in is a part with the licence that lies beside its sources.
func TestModules(t *testing.T) {
	testdata.Sequential(t)
	folders, err := foldersOf("../..", "./internal/yamltext", nil)
	if err != nil {
		t.Fatal(err)
	}
	for module := range folders {
		path, version, _ := strings.Cut(module, "@")
		if path != "github.com/goccy/go-yaml" {
			continue
		}
		linked := []*debug.Module{{Path: "example.org/other", Replace: &debug.Module{Path: path, Version: version, Sum: "h1:sum"}}}
		parts, err := modulesOf(linked, folders)
		if err != nil || parts[0].licence() != "MIT" || parts[0].url != "pkg:golang/"+module || parts[0].sum != "h1:sum" {
			t.Errorf("%v: %+v", err, parts)
		}
		if _, err := modulesOf([]*debug.Module{{Path: "example.org/none"}}, folders); err == nil || hint(err) == "" {
			t.Errorf("a module without sources has a licence: %v", err)
		}
		return
	}
	t.Errorf("go-yaml is not among %v", folders)
}

// One licence has a name, several are an expression, none is left out.
func TestLicencesOfABill(t *testing.T) {
	for id, want := range map[string]string{"MIT": `[{"license":{"id":"MIT"}}]`, "Apache-2.0 OR MIT": `[{"expression":"Apache-2.0 OR MIT"}]`, "": "null"} {
		if got, err := json.Marshal(licensed(id)); err != nil || string(got) != want {
			t.Errorf("%q is %s, want %s (%v)", id, got, want, err)
		}
	}
}

// Licences are told apart by their words.
func TestLicences(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                                           "Apache-2.0",
		"Permission is hereby granted, free of\ncharge, to any person":                                                           "MIT",
		"Redistribution and use in source and binary forms, with or without\nmodification":                                       "BSD-2-Clause",
		"Redistribution and use in source and binary forms ... Neither the name of the copyright holder":                         "BSD-3-Clause",
		"Licensed under the `Permissive License Stack`, meaning either of:":                                                      "Apache-2.0 OR MIT",
		"Mozilla Public License Version 2.0":                                                                                     "MPL-2.0",
		"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted": "ISC",
		"All rights reserved": "",
	} {
		if got := spdx(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	text := string(licencesOf([]part{{name: "a", version: "v1", texts: map[string]string{"LICENSE": "words", "NOTICE": "more"}}}))
	if !strings.Contains(text, "a v1\n") || !strings.Contains(text, "words") || !strings.Contains(text, "more") {
		t.Errorf("the licences are\n%s", text)
	}
}

// A commit without a tag has the version that Go gives it; what is in no commit is an error, or said.
func TestCommit(t *testing.T) {
	top := t.TempDir()
	run := func(arguments ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", top, "-c", "user.name=a", "-c", "user.email=a@example.org"}, arguments...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-22T12:00:00Z", "GIT_AUTHOR_DATE=2026-11-22T12:00:00Z", "GIT_CONFIG_GLOBAL=/dev/null")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", arguments, said)
		}
	}
	run("init", "-q")
	writeAll(t, top, map[string]string{"a": "a"})
	run("add", "a")
	run("commit", "-q", "-m", "a")
	c, err := commitOf(top, false)
	if err != nil || !c.time.Equal(at) || !strings.HasPrefix(c.version, "v0.0.0-20261122120000-") || len(c.version) != len("v0.0.0-20261122120000-")+12 {
		t.Errorf("%+v (%v)", c, err)
	}
	run("tag", "v1.2.3")
	if c, err := commitOf(top, false); err != nil || c.version != "v1.2.3" {
		t.Errorf("%+v (%v)", c, err)
	}
	writeAll(t, top, map[string]string{"b": "b"})
	if _, err := commitOf(top, false); err == nil || hint(err) == "" {
		t.Errorf("changes are released: %v", err)
	}
	if c, err := commitOf(top, true); err != nil || c.version != "v1.2.3+dirty" {
		t.Errorf("%+v (%v)", c, err)
	}
}

// The whole release of this commit is the same, built in two folders with nothing kept between them.
func TestWhole(t *testing.T) {
	if !*whole {
		t.Skip("SKIPPED: takes minutes; -whole does it")
	}
	var tops, sums [2]string
	for i := range tops { // before anything is built, which takes a while
		tops[i] = filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "here")
		if said, err := exec.Command("git", "clone", "-q", "../..", tops[i]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	for i, top := range tops {
		t.Setenv("GOCACHE", t.TempDir())
		dist := filepath.Join(top, "..", "dist")
		if err := run(top, dist, "linux/"+runtime.GOARCH, "", false); err != nil {
			t.Fatal(err, hint(err))
		}
		sums[i] = string(mustRead(filepath.Join(dist, sumsFile)))
	}
	if sums[0] != sums[1] || strings.Count(sums[0], "\n") != 2 {
		t.Errorf("two releases of one commit:\n%s\n%s", sums[0], sums[1])
	}
	t.Log(sums[0])
}
