package ledger

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// headSize is the size of two counts, a hash and a checksum.
const headSize = 8 + 8 + 32 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A headFile stores the position of the ledger's end outside of the database. It is not synced. It detects a
// database that loses its end while the machine runs on. After a power cut it may be behind the last synced
// commit, but never ahead of it.
type headFile struct{ file *os.File }

func openHead(path string) (headFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	return headFile{f}, err
}

// existingHead opens a head file for reading.
func existingHead(path string) (headFile, error) {
	f, err := regular.Open(path)
	return headFile{f}, err
}

// read returns the head. It returns false if there is no readable one: a new file, or one cut by a power failure.
func (h headFile) read() (Head, bool, error) {
	var b [headSize]byte
	n, err := h.file.ReadAt(b[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Head{}, false, err
	}
	sum := binary.LittleEndian.Uint32(b[headSize-4:])
	if n < headSize || crc32.Checksum(b[:headSize-4], castagnoli) != sum {
		return Head{}, false, nil
	}
	return Head{
		Entries:  int64(binary.LittleEndian.Uint64(b[0:])),
		Releases: int64(binary.LittleEndian.Uint64(b[8:])),
		Hash:     Digest(b[16:]),
	}, true, nil
}

func (h headFile) write(head Head) error {
	b := make([]byte, 0, headSize)
	b = binary.LittleEndian.AppendUint64(b, uint64(head.Entries))
	b = binary.LittleEndian.AppendUint64(b, uint64(head.Releases))
	b = append(b, head.Hash[:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	_, err := h.file.WriteAt(b, 0)
	return err
}
