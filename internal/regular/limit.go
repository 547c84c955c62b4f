package regular

import (
	"bytes"
	"fmt"
	"io"
)

// These limits hold for a text that is read piece by piece, however well it was compressed.
const (
	MostText = 4 << 30  // bytes in all
	MostLine = 16 << 20 // bytes of a line
)

// Limited returns a reader that passes r on. It returns an error once a line or the whole exceeds its limit, because a
// compressed file of a few bytes can hold a line of gigabytes.
func Limited(r io.Reader) io.Reader { return &limited{from: r, left: MostText} }

type limited struct {
	from io.Reader
	left int64 // bytes left until the limit
	line int64 // bytes of the line so far
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("the text is longer than %d bytes", int64(MostText))
	}
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.line += int64(len(rest))
			rest = nil
		} else {
			l.line += int64(end)
			rest = rest[end+1:]
		}
		if l.line > MostLine {
			return 0, fmt.Errorf("a line is longer than %d bytes", MostLine)
		}
		if end >= 0 {
			l.line = 0
		}
	}
	return n, err
}
