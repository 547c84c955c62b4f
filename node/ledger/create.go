package ledger

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// Create creates a new ledger at path and opens it. It refuses to replace a ledger, or to begin where parts of an
// old one are left. The file appears complete or not at all.
func Create(path string, f Federation) (*Ledger, error) {
	for _, part := range []string{path, path + "-wal", path + "-head"} {
		if _, err := os.Lstat(part); !errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New(fmt.Sprintf("ledger %s: %s exists already", path, part),
				"open it instead; what it holds has been released, and a new ledger would forget it")
		}
	}
	if _, err := rand.Read(f.Ledger[:]); err != nil {
		return nil, fault.Wrap(err, "no randomness for the id of ledger "+path, "the system's random source must be readable")
	}
	fresh := path + ".new"
	if err := write(fresh, f); err != nil {
		discard(fresh)
		return nil, fault.Wrap(err, "cannot create ledger "+path, "check that the folder exists, can be written and is not full")
	}
	if err := settle(fresh, path); err != nil {
		return nil, fault.Wrap(err, "cannot create ledger "+path, "check that the folder can be written and is not full")
	}
	return Open(path)
}

// write creates a database at path. It replaces the remains of an earlier attempt.
func write(path string, f Federation) error {
	discard(path)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	db, err := connect(path, sqlite3.OPEN_CREATE)
	if err != nil {
		return err
	}
	err = db.exec("PRAGMA journal_mode = WAL", fmt.Sprintf("PRAGMA application_id = %d", application),
		fmt.Sprintf("PRAGMA user_version = %d", version))
	if err == nil {
		err = db.exec(schema...)
	}
	if err == nil {
		err = db.run(insertOwner, f.Name, f.Spec, f.Node, int64(f.ID), f.Policy, f.Ledger[:], f.Book.Ledger[:], f.Book.Entries, f.Book.Hash)
	}
	if err == nil {
		genesis := f.genesis()
		err = db.run(replaceEnding, int64(0), genesis)
	}
	return errors.Join(err, db.close())
}

// besides lists the ends of the names of files that may exist beside a ledger.
var besides = []string{"-wal", "-shm", "-journal", "-head"}

func discard(path string) {
	for _, end := range append(besides, "") {
		os.Remove(path + end)
	}
}

// settle makes the file durable under its final name.
func settle(fresh, path string) error {
	if err := sync(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return err
	}
	return regular.SyncFolder(filepath.Dir(path))
}

func sync(path string) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
