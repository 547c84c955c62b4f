package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// digest returns a hash of the inputs of a sitting in 16 hexadecimal digits: its runs, its benchmarks and the code that it names,
// without comments. Results with an equal digest are up to date.
func digest(top string, s Sitting) (string, error) {
	h := sha256.New()
	for _, r := range s.Runs {
		fmt.Fprintf(h, "run %q\n", r.said())
		if r.Package != "" {
			source, err := benchmarkSource(filepath.Join(top, r.Package), r.Bench)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "benchmark %q\n", source)
		}
	}
	for _, name := range s.Code {
		if err := hashCode(h, top, name); err != nil {
			return "", fault.Wrap(err, fmt.Sprintf("%s: sitting %q", listFile, s.Name), "code names folders and files below the top of the repository")
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// hashCode adds a file to h, or the Go and assembly files of a folder without its tests.
func hashCode(h io.Writer, top, name string) error {
	path := filepath.Join(top, filepath.FromSlash(name))
	entries, err := os.ReadDir(path)
	if err != nil {
		return hashFile(h, path, name)
	}
	found := false
	for _, e := range entries {
		base := e.Name()
		goCode := strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go")
		if !goCode && !strings.HasSuffix(base, ".s") {
			continue
		}
		found = true
		if err := hashFile(h, filepath.Join(path, base), name+"/"+base); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s has no code", name)
	}
	return nil
}

func hashFile(h io.Writer, path, name string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, ".go") {
		text = uncommented(text)
	}
	sum := sha256.Sum256(text)
	fmt.Fprintf(h, "file %q %x\n", name, sum)
	return nil
}

// uncommented returns the tokens of Go source, one on each line. It keeps only comments that begin with //go:.
func uncommented(text []byte) []byte {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(text)), text, func(token.Position, string) {}, scanner.ScanComments)
	var out bytes.Buffer
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return out.Bytes()
		case tok == token.COMMENT && !strings.HasPrefix(literal, "//go:"):
		case tok == token.SEMICOLON: // written or inserted by the scanner
			out.WriteString(";\n")
		case literal != "":
			out.WriteString(literal + "\n")
		default:
			out.WriteString(tok.String() + "\n")
		}
	}
}

// word matches the top-level name of a -bench pattern.
var word = regexp.MustCompile(`^\w+`)

// benchmarkSource returns the tokens of a benchmark's function in a package's folder.
func benchmarkSource(folder, bench string) ([]byte, error) {
	name := "Benchmark" + word.FindString(bench)
	tests, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range tests {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(text, []byte("func "+name+"(")) {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
				return uncommented(text[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset]), nil
			}
		}
	}
	return nil, fault.New(fmt.Sprintf("%s: %s has no %s", listFile, folder, name), "name the benchmark without the word Benchmark")
}

// fresh returns an error if a sitting's results are older than its code. It returns nil if the sitting was never measured.
func fresh(top string, s Sitting, kept results) error {
	again := fmt.Sprintf("measure it again on a quiet machine: go run ./cmd/measure %s", s.Name)
	now, err := digest(top, s)
	if err != nil {
		return err
	}
	result, ok := kept[s.Name]
	if !ok {
		return nil
	}
	if then := result.Config["code"]; then != now {
		return fault.New(fmt.Sprintf("%s was measured at %s and is older than the code that it names: %s", s.Name, result.Config["commit"], strings.Join(s.Code, ", ")), again)
	}
	return nil
}
