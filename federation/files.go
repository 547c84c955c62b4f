package federation

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// writeFile puts data at path, whole or not at all, and on disk.
func writeFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // no longer there once renamed
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(text, '\n'))
}

// largestFile is the most bytes of a small file of the folder.
const largestFile = 1 << 20

func readJSON(path string, value any) error {
	text, err := regular.Read(path, largestFile)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
