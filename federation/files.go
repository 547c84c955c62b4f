package federation

import (
	"encoding/json"
	"io"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// writeFile writes data to path atomically and flushes it to disk.
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

// indented encodes a value as writeJSON does.
func indented(value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	return append(text, '\n'), err
}

// largestFile is the maximal size in bytes of a small file of the folder.
const largestFile = 1 << 20

func readJSON(path string, value any) error {
	text, err := regular.Read(path, largestFile)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
