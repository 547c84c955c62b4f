package fetch

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
)

// Set downloads all files of a data set into folder and returns their paths.
// With an empty base they come from where they are published, and are made
// from the set's archive if they only exist inside one. Otherwise base is the
// URL of a folder that holds the files, or of one of the files.
func (f *Fetcher) Set(ctx context.Context, set dataset.KnownSet, folder, base string) ([]string, error) {
	var paths []string
	for _, file := range set.Files {
		target := filepath.Join(folder, file.Name)
		if err := f.one(ctx, set, file, target, base); err != nil {
			return nil, err
		}
		paths = append(paths, target)
	}
	return paths, nil
}

// one brings one file of a set to target.
func (f *Fetcher) one(ctx context.Context, set dataset.KnownSet, file dataset.KnownFile, target, base string) error {
	if base == "" && file.URL == "" {
		return f.fromArchive(ctx, set, file, target)
	}
	address := file.URL
	if base != "" {
		var err error
		if address, err = locate(base, set, file); err != nil {
			return err
		}
	}
	return f.File(ctx, address, target, file)
}

// locate returns the address of a file under base.
func locate(base string, set dataset.KnownSet, file dataset.KnownFile) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", fault.New(fmt.Sprintf("%q is no address to download from", base), "give a URL that starts with http:// or https://")
	}
	last := path.Base(u.Path)
	if last == file.Name {
		return base, nil
	}
	for _, sister := range set.Files {
		if last == sister.Name {
			u.Path = strings.TrimSuffix(u.Path, last)
		}
	}
	return u.JoinPath(file.Name).String(), nil
}

// fromArchive downloads the set's archive, makes file of it and removes the
// archive.
func (f *Fetcher) fromArchive(ctx context.Context, set dataset.KnownSet, file dataset.KnownFile, target string) error {
	if there, err := present(target, file); there || err != nil {
		return err
	}
	if set.Archive == nil {
		return fault.New("no public address of "+file.Name+" is known", "give one with --url, or a mirror in HEARSAY_MIRROR")
	}
	archive := filepath.Join(filepath.Dir(target), set.Archive.Name)
	if err := f.File(ctx, set.Archive.URL, archive, set.Archive.KnownFile); err != nil {
		return err
	}
	if err := unpackHouses(archive, target+".part", *set.Archive, file); err != nil {
		return err
	}
	if err := install(target+".part", target, file); err != nil {
		return err
	}
	if err := os.Remove(archive); err != nil {
		return fault.Wrap(err, "cannot remove "+archive, "it is not needed any more: remove it by hand")
	}
	return nil
}
