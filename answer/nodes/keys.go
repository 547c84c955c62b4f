package nodes

import (
	"crypto/rand"
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/node/identity"
)

// A KeyFile holds the public part of a key and its file.
type KeyFile struct {
	Peer identity.Peer `json:"peer"`
	File string        `json:"file"`
}

// MakeKey writes a new key into a file that must not exist, and returns its public part.
func MakeKey(path string) (KeyFile, error) {
	key, err := identity.Generate(rand.Reader)
	if err != nil {
		return KeyFile{}, err
	}
	return KeyFile{key.Peer(), path}, key.Save(path)
}

// ShowKey returns the public part of the key in a file.
func ShowKey(path string) (KeyFile, error) {
	key, err := identity.Load(path)
	if err != nil {
		return KeyFile{}, err
	}
	return KeyFile{key.Peer(), path}, nil
}

// Print writes the id alone, so that a script can take it.
func (k KeyFile) Print(w io.Writer) error {
	_, err := fmt.Fprintln(w, k.Peer)
	return err
}
