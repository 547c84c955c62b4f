package identity

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// block is the type of the PEM block: PKCS #8, which other tools can read.
const block = "PRIVATE KEY"

// maxFile is the largest number of bytes that are read of a key file.
const maxFile = 4096

// Save writes k to a new file that only its owner can read (mode 0600). It never overwrites a file, because a lost
// identity cannot be recreated. The file is complete on disk if Save returns nil, and does not exist otherwise.
func (k Key) Save(path string) error {
	err := save(path, k.encode())
	if errors.Is(err, fs.ErrExist) {
		return fault.Wrap(err, "key file "+path+" is there already", "choose another name, or move the old key away if nobody knows it any more")
	}
	if err != nil {
		return fault.Wrap(err, "key file "+path+" cannot be written", "check that the folder exists and can be written to")
	}
	return nil
}

// save writes a temporary file and links it to path, which fails if path
// exists.
func save(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil {
		return err
	}
	return regular.SyncFolder(filepath.Dir(path))
}

// Load reads the key that Save wrote. It refuses a file that others than its owner may read or write.
func Load(path string) (Key, error) {
	file, err := regular.Open(path)
	if err != nil {
		return Key{}, fault.Wrap(err, "key file cannot be read", "hearsay keys makes one")
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Key{}, fault.Wrap(err, "key file cannot be read", "hearsay keys makes one")
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return Key{}, fault.New("key file "+path+" has mode "+info.Mode().String()+", so that others than its owner can use it",
			"chmod 600 "+path+"; if somebody may have read it, make a new key")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return Key{}, fault.Wrap(err, "key file cannot be read", "check the disk")
	}
	k, err := parse(data)
	if err != nil {
		return Key{}, fault.Wrap(err, "key file "+path, "restore the file from a copy, or make a new key with hearsay keys and tell the others")
	}
	return k, nil
}

// encode returns k as a PEM block.
func (k Key) encode() []byte {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		panic("identity: " + err.Error()) // an ed25519 key always has an encoding
	}
	return pem.EncodeToMemory(&pem.Block{Type: block, Bytes: der})
}

// parse decodes the PEM block of encode.
func parse(data []byte) (Key, error) {
	found, _ := pem.Decode(data)
	if found == nil || found.Type != block {
		return Key{}, errors.New("not a PEM file with a private key")
	}
	key, err := x509.ParsePKCS8PrivateKey(found.Bytes)
	if err != nil {
		return Key{}, err
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return Key{}, errors.New("not an ed25519 key")
	}
	return Key{private}, nil
}
