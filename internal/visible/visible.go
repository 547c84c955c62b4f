// Package visible makes text from elsewhere (names, labels, keys, errors of others) harmless to a terminal. It writes
// characters that would move the cursor, change the display or turn the direction of text as \u001b, the form that JSON has.
package visible

import (
	"fmt"
	"io"
	"regexp"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer passes text on, escaped. A rune split between two calls of Write stays whole. Close writes an incomplete rune.
type Writer struct {
	To      io.Writer
	Colours bool // pass the program's own colours

	rest []byte // the first bytes of an incomplete rune
	out  []byte
}

// colour matches the escape codes that the program itself writes: colours, bold and faint, and their ends. None of them hides
// text, as \x1b[8m would.
var colour = regexp.MustCompile(`^\x1b\[(?:(?:0|1|2|3|4|22|23|24|39|49|3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;5;\d{1,3}|[34]8;2;\d{1,3};\d{1,3};\d{1,3})(?:;|m)|m)+`)

// Write implements io.Writer. It returns len(text) if the escaped text was written.
func (w *Writer) Write(text []byte) (int, error) {
	whole := text
	if len(w.rest) > 0 {
		whole = append(w.rest, text...)
		w.rest = nil
	}
	w.out = w.out[:0]
	for i := 0; i < len(whole); {
		if !utf8.FullRune(whole[i:]) {
			w.rest = append([]byte(nil), whole[i:]...)
			break
		}
		r, size := utf8.DecodeRune(whole[i:])
		if r == '\x1b' && w.Colours {
			if own := colour.Find(whole[i:]); len(own) > 0 && own[len(own)-1] == 'm' {
				w.out, i = append(w.out, own...), i+len(own)
				continue
			}
		}
		w.out = appendSafe(w.out, r, whole[i:i+size], r == '\r' && i+1 < len(whole) && whole[i+1] == '\n')
		i += size
	}
	if _, err := w.To.Write(w.out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Close writes the bytes of an incomplete rune.
func (w *Writer) Close() error {
	out := []byte{}
	for _, b := range w.rest {
		out = fmt.Appendf(out, `\x%02x`, b)
	}
	w.rest = nil
	_, err := w.To.Write(out)
	return err
}

// Text returns text with every character escaped that a terminal could interpret.
func Text(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		out = appendSafe(out, r, []byte(text[i:i+size]), false)
		i += size
	}
	return string(out)
}

// appendSafe appends a rune, whose bytes are raw, or its escape. endsLine says that a line feed follows.
func appendSafe(out []byte, r rune, raw []byte, endsLine bool) []byte {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Appendf(out, `\x%02x`, raw[0])
	case r == '\n' || r == '\t' || endsLine:
		return append(out, raw...)
	case unicode.IsControl(r) || turns(r):
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return append(out, raw...)
}

// turns reports whether a rune changes the direction of text, breaks a line, or is an invisible tag.
func turns(r rune) bool {
	switch {
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x2028, r == 0x2029, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
