package federation

import (
	"encoding/json"
	"io"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// writeFile puts data at path, whole or not at all, and on disk.
func writeFile(path string, data []byte) error {
	return regular.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func writeJSON(path string, value any) error {
	text, err := indented(value)
	if err != nil {
		return err
	}
	return writeFile(path, text)
}

// indented is a value as writeJSON writes it.
func indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return append(text, '\n'), err
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
