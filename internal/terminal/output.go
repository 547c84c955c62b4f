package terminal

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/hearsay-dp/hearsay/internal/visible"
)

// Output keeps the first write error, which most printing ignores. It escapes control characters in names and texts of others.
type Output struct {
	io.Writer
	safe *visible.Writer
	Err  error
}

// NewOutput returns an output that escapes its text and writes it to w.
func NewOutput(w io.Writer) *Output {
	return &Output{Writer: w, safe: &visible.Writer{To: w, Colours: Colours(w)}}
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.safe.Write(p)
	if o.Err == nil {
		o.Err = err
	}
	return n, err
}

// Close writes the rest of an incomplete rune.
func (o *Output) Close() {
	if err := o.safe.Close(); o.Err == nil {
		o.Err = err
	}
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	switch o := w.(type) {
	case *Output:
		w = o.Writer
	case *Pulse:
		w = o.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Colours reports whether w is a terminal that wants colours.
func Colours(w io.Writer) bool { return IsTerminal(w) && os.Getenv("NO_COLOR") == "" }

// Silence is the longest time that a command may write nothing.
const Silence = 2 * time.Second
