package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// page is the document with parts that are generated from the measurements, between marks.
const page = "bench/README.md"

// pages returns the files that are generated from the measurements, by path below the top of the repository.
func (l *List) pages(top string, kept results) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(page)))
	if err != nil {
		return nil, err
	}
	whole := string(text)
	for name, part := range map[string]string{"table": l.heading(kept) + "\n" + l.table(kept), "curves": l.slopes(kept), "sittings": l.sittings(kept)} {
		if whole, err = between(whole, name, part); err != nil {
			return nil, fault.Wrap(err, page, "put the two marks where it belongs")
		}
	}
	return map[string]string{picture: l.draw(kept), page: whole}, nil
}

// publish writes pages whose text has changed.
func (l *List) publish(top string, kept results) error {
	made, err := l.pages(top, kept)
	if err != nil {
		return err
	}
	for path, text := range made {
		file := filepath.Join(top, filepath.FromSlash(path))
		if old, err := os.ReadFile(file); err == nil && string(old) == text {
			continue
		}
		if err := regular.Write(file, 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "written:", path)
	}
	return nil
}

// between returns text with part between the marks of a name.
func between(text, name, part string) (string, error) {
	begin, end := fmt.Sprintf("<!-- measured %s: by go run ./cmd/measure -->\n", name), fmt.Sprintf("<!-- end of %s -->\n", name)
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("it lacks the marks %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + "\n" + strings.TrimSpace(part) + "\n\n" + end + after, nil
}
