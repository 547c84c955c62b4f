// Package textfile reads texts that others wrote: UTF-8 without its byte order mark. For any other file it returns an error
// that names the kind, with a hint.
package textfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hearsay-dp/hearsay/fault"
)

// mostHead is the number of first bytes from which the kind of a file is recognised.
const mostHead = 1 << 12

// A Reader passes on a text and counts its bytes.
type Reader struct {
	Encoding string // begins the hint about a byte that is not UTF-8, where callers can set an encoding

	from    *bufio.Reader
	name    string
	started bool
	mac     bool   // lines end with a carriage return alone
	pending []byte // the beginning of a character whose rest is still to come
	line    int
	bytes   int64
	err     error
}

// NewReader returns a reader of the text in r, which errors call name. Reading is an
// error with a hint if r is a file of another kind, UTF-16, or not UTF-8: at the latest
// after the first such byte. Where lines end with carriage returns alone, they are passed
// on as line feeds.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{from: bufio.NewReaderSize(r, 1<<16), name: name, line: 1}
}

// Head returns the first bytes of the text, up to 4096, without reading them.
func (r *Reader) Head() ([]byte, error) {
	if !r.started {
		r.start()
	}
	head, _ := r.from.Peek(mostHead)
	return head, r.err
}

// Bytes returns the number of bytes of the text passed on so far.
func (r *Reader) Bytes() int64 { return r.bytes }

// start looks at the first bytes and takes the byte order mark away.
func (r *Reader) start() {
	r.started = true
	head, _ := r.from.Peek(mostHead)
	if r.err = refuse(head, r.name); r.err != nil {
		return
	}
	if bytes.HasPrefix(head, mark) {
		_, r.err = r.from.Discard(len(mark))
	}
	lines, _ := r.from.Peek(r.from.Size())
	r.mac = bytes.IndexByte(lines, '\n') < 0 && bytes.Count(lines, []byte{'\r'}) > 1
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if !r.started {
		r.start()
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	if r.mac {
		for i, b := range p[:n] {
			if b == '\r' {
				p[i] = '\n'
			}
		}
	}
	if r.err = r.check(p[:n], err == io.EOF); r.err != nil {
		return 0, r.err
	}
	r.bytes += int64(n)
	return n, err
}

// check refuses bytes that are no UTF-8. Characters that are cut by the end of b are left
// to the next call.
func (r *Reader) check(b []byte, end bool) error {
	text := append(r.pending, b...)
	r.pending = text[:0]
	at := 0
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		at = len(text)
	}
	for at < len(text) {
		c, size := utf8.DecodeRune(text[at:])
		switch {
		case c == utf8.RuneError && size == 1 && !end && !utf8.FullRune(text[at:]):
			r.line += bytes.Count(text[:at], []byte{'\n'})
			r.pending = append(r.pending, text[at:]...)
			return nil
		case c == utf8.RuneError && size == 1, c == 0:
			return r.bad(text, at)
		}
		at += size
	}
	r.line += bytes.Count(text, []byte{'\n'})
	return nil
}

// bad returns the error of a byte that is in no UTF-8.
func (r *Reader) bad(text []byte, at int) error {
	line := r.line + bytes.Count(text[:at], []byte{'\n'})
	if text[at] == 0 {
		return fault.New(fmt.Sprintf("%s is not text: line %d has a zero byte", r.name, line), saveAs)
	}
	from := max(at-12, bytes.LastIndexByte(text[:at], '\n')+1, 0)
	after := ""
	if from < at {
		after = fmt.Sprintf(" after %q", text[from:at])
	}
	return fault.New(fmt.Sprintf("%s line %d: the byte %#02x%s is not UTF-8", r.name, line, text[at], after),
		r.Encoding+"if it is Latin-1, as from Windows: "+converted("WINDOWS-1252", r.name))
}

// Check returns an error with a hint if text is a file of another kind or not UTF-8.
func Check(text []byte, name string) error {
	_, err := io.Copy(io.Discard, NewReader(bytes.NewReader(text), name))
	return err
}
