package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// A part is a third-party part of the program.
type part struct {
	name, version string
	url           string            // package URL: pkg:golang/..., pkg:npm/...
	sum           string            // from go.sum or package-lock.json; "" for Go itself
	texts         map[string]string // its licences, by file name
	says          string            // its own statement of its licence; "": none
}

// partsOf returns the parts of a program, in the order of their URLs. They are the modules in the program's own build
// information, Go's standard library, and the npm packages of its pages.
func partsOf(top, pkg string, set []string, program string) ([]part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	folders, err := foldersOf(top, pkg, set)
	if err != nil {
		return nil, err
	}
	root, err := goCommand(top, set, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	own, err := textsIn(strings.TrimSpace(string(root)))
	if err != nil {
		return nil, err
	}
	version := strings.TrimPrefix(info.GoVersion, "go")
	parts, err := modulesOf(info.Deps, folders)
	if err != nil {
		return nil, err
	}
	pages, err := pagesOf(filepath.Join(top, "web", "ui"))
	parts = append(append(parts, part{name: "std", version: version, url: "pkg:golang/std@" + version, texts: own}), pages...)
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.url, b.url) })
	return parts, err
}

// modulesOf returns the parts for linked modules. folders holds the folders of their sources, by module@version.
func modulesOf(linked []*debug.Module, folders map[string]string) (parts []part, err error) {
	for _, m := range linked {
		if m.Replace != nil {
			m = m.Replace
		}
		texts, err := textsIn(folders[m.Path+"@"+m.Version])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{name: m.Path, version: m.Version, url: "pkg:golang/" + m.Path + "@" + m.Version, sum: m.Sum, texts: texts})
	}
	return parts, nil
}

// foldersOf returns the folders of the sources of the modules that a package needs, by module@version.
func foldersOf(top, pkg string, set []string) (map[string]string, error) {
	const each = "{{with .Module}}{{with or .Replace .}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}{{end}}"
	said, err := goCommand(top, set, "list", "-deps", "-f", each, pkg)
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(said)) {
		if module, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			folders[module] = folder
		}
	}
	return folders, nil
}

// textsIn returns the licences and notices in a folder, by file name.
func textsIn(folder string) (map[string]string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fault.Wrap(err, "no sources to read a licence from", "go mod download fetches them")
	}
	texts := map[string]string{}
	for _, file := range files {
		name := strings.ToUpper(file.Name())
		is := slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, func(start string) bool { return strings.HasPrefix(name, start) })
		if !is || !file.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, err
		}
		texts[file.Name()] = string(text)
	}
	return texts, nil
}

// pagesOf returns the npm packages in the folder's lock file that become part of the embedded pages. It returns nil if there is no
// lock file.
func pagesOf(folder string) (parts []part, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev, Optional               bool
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &lock)
	}
	if err != nil {
		return nil, fault.Wrap(err, folder+"/package-lock.json", "npm writes it")
	}
	for _, path := range slices.Sorted(maps.Keys(lock.Packages)) {
		p := lock.Packages[path]
		_, name, ok := strings.Cut(path, "node_modules/")
		if !ok || p.Dev || p.Optional {
			continue // build tools, and their parts for other systems
		}
		parts = append(parts, part{name: name, version: p.Version, url: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version, sum: p.Integrity, says: p.License})
	}
	return parts, nil
}

// licence returns the SPDX name of the licence of a part. It returns "" if none of its texts is a well-known licence.
func (p part) licence() string {
	if p.says != "" {
		return p.says
	}
	for _, name := range slices.Sorted(maps.Keys(p.texts)) {
		if id := spdx(p.texts[name]); id != "" && !strings.HasPrefix(strings.ToUpper(name), "NOTICE") {
			return id
		}
	}
	return ""
}

// spdx returns the SPDX name of a licence text, recognised by phrases. It returns "" if it recognises none.
func spdx(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	has := func(phrases ...string) bool {
		return !slices.ContainsFunc(phrases, func(phrase string) bool { return !strings.Contains(words, phrase) })
	}
	switch {
	case has("Permissive License Stack", "either of"):
		return "Apache-2.0 OR MIT"
	case has("Apache License", "Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License", "2.0"):
		return "MPL-2.0"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("Permission to use, copy, modify, and/or distribute this software"), has("Permission to use, copy, modify, and distribute this software"):
		return "ISC"
	case has("Redistribution and use in source and binary forms", "Neither the name") || has("Redistribution and use in source and binary forms", "may be used to endorse"):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("This is free and unencumbered software released into the public domain"):
		return "Unlicense"
	}
	return ""
}

// licencesOf returns the licence texts of all parts, one after the other.
func licencesOf(parts []part) []byte {
	var text bytes.Buffer
	text.WriteString("What is in the program besides Hearsay itself, and under which terms.\n")
	for _, p := range parts {
		fmt.Fprintf(&text, "\n%s\n%s %s\n", strings.Repeat("=", 79), p.name, p.version)
		if p.says != "" {
			fmt.Fprintf(&text, "%s\n", p.says)
		}
		for _, name := range slices.Sorted(maps.Keys(p.texts)) {
			fmt.Fprintf(&text, "\n--- %s\n\n%s\n", name, strings.TrimSpace(p.texts[name]))
		}
	}
	return text.Bytes()
}
