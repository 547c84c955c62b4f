package textfile

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Notation describes a table's text. The zero value means UTF-8, points in numbers, and the separator that the first line
// has: comma or tab.
type Notation struct {
	Separator string   `json:"separator,omitempty"`      // between columns: "," ";" "|" or "tab"
	Decimal   string   `json:"decimal,omitempty"`        // between a number and its fraction: "." or ","
	Encoding  string   `json:"encoding,omitempty"`       // a name of Encodings
	Missing   []string `json:"missing_values,omitempty"` // texts and numbers that stand for missing values, besides those that programs write
}

// charmaps are the encodings other than UTF-8: one byte is one character.
var charmaps = []struct {
	name string
	by   *charmap.Charmap
}{
	{"latin-1", charmap.ISO8859_1}, {"latin-2", charmap.ISO8859_2}, {"latin-9", charmap.ISO8859_15},
	{"windows-1250", charmap.Windows1250}, {"windows-1251", charmap.Windows1251}, {"windows-1252", charmap.Windows1252}, {"windows-1254", charmap.Windows1254},
	{"cp437", charmap.CodePage437}, {"cp850", charmap.CodePage850}, {"macintosh", charmap.Macintosh},
}

// Encodings lists the names that Notation.Encoding may have.
func Encodings() []string {
	names := []string{"utf-8"}
	for _, c := range charmaps {
		names = append(names, c.name)
	}
	return names
}

// These are the separators and decimal marks of a Notation.
var (
	separators = map[string]rune{"": 0, ",": ',', ";": ';', "|": '|', "tab": '\t', "\t": '\t'}
	decimals   = []string{"", ".", ","}
)

// Check refuses notations that no table has.
func (n Notation) Check() error {
	_, known := separators[n.Separator]
	switch {
	case !known:
		return fault.New(fmt.Sprintf("separator: %q", n.Separator), `what stands between columns is one of ",", ";", "|" and tab`)
	case !slices.Contains(decimals, n.Decimal):
		return fault.New(fmt.Sprintf("decimal: %q", n.Decimal), `what stands before the fraction of a number is "." or ","`)
	case n.Encoding != "" && !slices.Contains(Encodings(), n.Encoding):
		return fault.New(fmt.Sprintf("encoding: %q", n.Encoding), "use one of "+strings.Join(Encodings(), ", "))
	case slices.Contains(n.Missing, ""):
		return fault.New(`missing_values: ""`, "an empty field has no value anyway: leave it out")
	}
	return nil
}

// IsZero reports whether all fields are empty.
func (n Notation) IsZero() bool {
	return n.Separator == "" && n.Decimal == "" && n.Encoding == "" && n.Missing == nil
}

// Or returns n with its empty fields taken from other.
func (n Notation) Or(other Notation) Notation {
	if n.Separator == "" {
		n.Separator = other.Separator
	}
	if n.Decimal == "" {
		n.Decimal = other.Decimal
	}
	if n.Encoding == "" {
		n.Encoding = other.Encoding
	}
	if n.Missing == nil {
		n.Missing = other.Missing
	}
	return n
}

// Flags returns the command line flags that state n, each after a space.
func (n Notation) Flags() (text string) {
	for _, flag := range [][2]string{{"separator", n.Separator}, {"decimal", n.Decimal}, {"encoding", n.Encoding}} {
		if flag[1] != "" {
			text += " --" + flag[0] + " " + Quoted(flag[1])
		}
	}
	for _, form := range n.Missing {
		text += " --missing-value " + Quoted(form)
	}
	return text
}

// Comma returns the separator as a character. It returns 0 if the first line shows it.
func (n Notation) Comma() rune { return separators[n.Separator] }

// Decode returns r as UTF-8, which errors call name. Reading fails at a byte that is no character of the encoding. It also
// fails at the end of a text that is valid UTF-8 with characters beyond ASCII.
func (n Notation) Decode(r io.Reader, name string) io.Reader {
	for _, c := range charmaps {
		if c.name == n.Encoding {
			return &decoder{from: bufio.NewReaderSize(r, 1<<16), by: c.by, encoding: c.name, name: name, line: 1}
		}
	}
	return r
}

// A decoder turns bytes into characters.
type decoder struct {
	from           *bufio.Reader
	by             *charmap.Charmap
	encoding, name string
	line           int
	pending        []byte // characters that did not fit into the buffer
	unicode        utf8Watch
	err            error // the first error, which stays
}

func (d *decoder) Read(p []byte) (n int, err error) {
	if d.err != nil {
		return 0, d.err
	}
	n, d.err = d.decode(p)
	return n, d.err
}

func (d *decoder) decode(p []byte) (int, error) {
	n := copy(p, d.pending)
	d.pending = d.pending[n:]
	for n < len(p) && (n == 0 || d.from.Buffered() > 0) {
		b, err := d.from.ReadByte()
		if err == io.EOF && d.unicode.sure() {
			return n, fault.New(fmt.Sprintf("%s is UTF-8, not %s", d.name, d.encoding), "leave the encoding out")
		}
		if err != nil {
			return n, err
		}
		c := d.by.DecodeByte(b)
		if c == utf8.RuneError || c >= 0x80 && c < 0xa0 {
			return n, fault.New(fmt.Sprintf("%s line %d: the byte %#02x is no character of %s", d.name, d.line, b, d.encoding),
				"use another encoding: one of "+strings.Join(Encodings(), ", "))
		}
		if b == '\n' {
			d.line++
		}
		d.unicode.add(b)
		var buffer [utf8.UTFMax]byte
		size := utf8.EncodeRune(buffer[:], c)
		fits := copy(p[n:], buffer[:size])
		n += fits
		d.pending = append(d.pending, buffer[fits:size]...)
	}
	return n, nil
}

// A utf8Watch checks whether all bytes beyond ASCII are parts of UTF-8 characters.
type utf8Watch struct {
	open    []byte // a character that is not complete
	whole   int    // characters of several bytes
	invalid bool
}

func (w *utf8Watch) add(b byte) {
	if w.invalid || b < utf8.RuneSelf && len(w.open) == 0 {
		return
	}
	w.open = append(w.open, b)
	switch c, size := utf8.DecodeRune(w.open); {
	case !utf8.FullRune(w.open):
	case c == utf8.RuneError || size < len(w.open):
		w.invalid = true
	default:
		w.whole++
		w.open = w.open[:0]
	}
}

// sure reports whether the text is UTF-8 with characters beyond ASCII.
func (w *utf8Watch) sure() bool { return !w.invalid && w.whole > 0 && len(w.open) == 0 }
