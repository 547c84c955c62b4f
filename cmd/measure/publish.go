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

// pages are the files that are made of what was measured, by path below the top of the repository: whole ones, and pages of
// which a part is, between two marks.
func (l *List) pages(top string, kept results) (map[string]string, error) {
	made := map[string]string{picture: l.draw(kept)}
	for path, parts := range map[string]map[string]string{
		"README.md":       {"table": l.heading(kept) + "\n" + l.table(kept), "curves": l.slopes(kept)},
		"bench/README.md": {"sittings": l.sittings(kept)},
	} {
		text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		page := string(text)
		for name, part := range parts {
			if page, err = between(page, name, part); err != nil {
				return nil, fault.Wrap(err, path, "put the two marks where it belongs")
			}
		}
		made[path] = page
	}
	return made, nil
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

// between is a page with part between the marks of a name.
func between(page, name, part string) (string, error) {
	begin, end := fmt.Sprintf("<!-- measured %s: by go run ./cmd/measure -->\n", name), fmt.Sprintf("<!-- end of %s -->\n", name)
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("it lacks the marks %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + "\n" + strings.TrimSpace(part) + "\n\n" + end + after, nil
}
