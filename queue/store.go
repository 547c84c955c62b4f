package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A Hash is the SHA-256 of data in hexadecimal, and serves as their name.
type Hash string

// HashOf returns the hash of data.
func HashOf(data []byte) Hash {
	sum := sha256.Sum256(data)
	return Hash(hex.EncodeToString(sum[:]))
}

// Valid reports whether h is a SHA-256 in hexadecimal, because a hash from the wire may be any text.
func (h Hash) Valid() bool {
	_, err := hex.DecodeString(string(h))
	return err == nil && len(h) == 2*sha256.Size
}

// A store keeps data by content, in pieces. The pieces are messages of a stream with one message a subject. Storing
// data that exist sends nothing. Readers refuse wrong pieces under a name.
type store struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	prefix string // of subjects, with a dot at its end
}

// piece is the size in bytes of a piece. sizeHeader is the header of the message that holds the total size.
const (
	piece      = 512 << 10
	sizeHeader = "Hearsay-Size"
)

// whole returns the subject of the message that says that all pieces are stored.
func (s store) whole(h Hash) string { return s.prefix + string(h) + ".size" }
func (s store) piece(h Hash, k int64) string {
	return s.prefix + string(h) + "." + strconv.FormatInt(k, 10)
}

// Put stores data.
func (s store) Put(ctx context.Context, data []byte) (Hash, error) {
	h := HashOf(data)
	return h, s.put(ctx, h, bytes.NewReader(data), int64(len(data)))
}

// PutFile stores the regular file at path.
func (s store) PutFile(ctx context.Context, path string) (h Hash, size int64, err error) {
	file, err := regular.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	sum := sha256.New()
	if size, err = io.Copy(sum, file); err != nil {
		return "", 0, err
	}
	h = Hash(hex.EncodeToString(sum.Sum(nil)))
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return "", 0, err
	}
	return h, size, s.put(ctx, h, file, size)
}

func (s store) put(ctx context.Context, h Hash, in io.Reader, size int64) error {
	if _, err := s.message(ctx, s.whole(h)); !errors.Is(err, jetstream.ErrMsgNotFound) {
		return err
	}
	sum := sha256.New()
	in = io.TeeReader(in, sum)
	for k := range pieces(size) {
		data := make([]byte, min(piece, size-k*piece))
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		if err := s.send(ctx, &nats.Msg{Subject: s.piece(h, k), Data: data}); err != nil {
			return err
		}
	}
	if Hash(hex.EncodeToString(sum.Sum(nil))) != h {
		return errors.New("the file changed while it was read")
	}
	m := nats.NewMsg(s.whole(h))
	m.Header.Set(sizeHeader, strconv.FormatInt(size, 10))
	return s.send(ctx, m)
}

func pieces(size int64) int64 { return (size + piece - 1) / piece }

// send publishes a message whose subject identifies its content, so a message that exists already is the same one.
func (s store) send(ctx context.Context, m *nats.Msg) error {
	return retried(ctx, patience, func(ctx context.Context) error {
		_, err := s.js.PublishMsg(ctx, m)
		if alreadyThere(err) {
			return nil
		}
		return err
	})
}

// perSubject is the error code of the server for a subject that already has all messages allowed.
const perSubject = 10077

func alreadyThere(err error) bool {
	var said *jetstream.APIError
	return errors.As(err, &said) && said.ErrorCode == perSubject
}

func (s store) message(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = retried(ctx, patience, func(ctx context.Context) error {
		m, err = s.stream.GetLastMsgForSubject(ctx, subject)
		return err
	})
	return m, err
}

// behind is the longest time that one of several servers may lag behind the others.
const behind = 2 * time.Second

// kept returns a message that must exist. If several servers keep it, kept asks again, because a server may lag behind.
func (s store) kept(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	for end := time.Now().Add(behind); ; {
		m, err = s.message(ctx, subject)
		if !errors.Is(err, jetstream.ErrMsgNotFound) || s.stream.CachedInfo().Config.Replicas < 2 || time.Now().After(end) {
			return m, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Get returns the data with hash h. It fails if they have more than most bytes.
func (s store) Get(ctx context.Context, h Hash, most int64) ([]byte, error) {
	var data bytes.Buffer
	err := s.fetch(ctx, h, most, &data)
	return data.Bytes(), err
}

// GetFile writes the data with hash h to a new file at path. No file remains on error.
func (s store) GetFile(ctx context.Context, h Hash, most int64, path string) error {
	return regular.Write(path, 0o600, func(out io.Writer) error { return s.fetch(ctx, h, most, out) })
}

// fetch writes the data with hash h. If it returns nil, the data have this hash.
func (s store) fetch(ctx context.Context, h Hash, most int64, out io.Writer) error {
	if !h.Valid() {
		return refused("%.80q is no SHA-256", string(h))
	}
	whole, err := s.kept(ctx, s.whole(h))
	if err != nil {
		return err
	}
	size, err := strconv.ParseInt(whole.Header.Get(sizeHeader), 10, 64)
	if err != nil || size < 0 || size > most {
		return refused("data of %.20q bytes, where %d may be", whole.Header.Get(sizeHeader), most)
	}
	sum := sha256.New()
	for k := range pieces(size) {
		m, err := s.kept(ctx, s.piece(h, k))
		if err != nil {
			return err
		}
		if int64(len(m.Data)) != min(piece, size-k*piece) {
			return refused("a piece of %d bytes", len(m.Data))
		}
		sum.Write(m.Data)
		if _, err := out.Write(m.Data); err != nil {
			return err
		}
	}
	if got := Hash(hex.EncodeToString(sum.Sum(nil))); got != h {
		return refused("data of hash %s, where %s was asked for", got, h)
	}
	return nil
}

// remove deletes data to make room for others.
func (s store) remove(ctx context.Context, h Hash) {
	if h.Valid() {
		_ = s.stream.Purge(ctx, jetstream.WithPurgeSubject(s.prefix+string(h)+".*")) // the rest is removed with the run
	}
}

// FileIs reports whether the regular file at path has hash h.
func FileIs(path string, h Hash) bool {
	file, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return err == nil && Hash(hex.EncodeToString(sum.Sum(nil))) == h
}
