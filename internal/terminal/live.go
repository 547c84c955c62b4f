package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/hearsay-dp/hearsay/internal/visible"
)

// A LiveLine is a line on a terminal that is overwritten again and again. If the output is no terminal, the line appears every
// few seconds instead, as plain text without escape codes.
type LiveLine struct {
	w        io.Writer
	Now      func() time.Time
	terminal bool
	every    time.Duration
	last     time.Time
	shown    string
}

// NewLiveLine returns a line on w.
func NewLiveLine(w io.Writer) *LiveLine {
	l := &LiveLine{w: w, Now: time.Now, terminal: IsTerminal(w), every: Silence}
	if l.terminal {
		l.every = 100 * time.Millisecond
	}
	l.last = l.Now()
	return l
}

// Show writes a line, unless it has just written another.
func (l *LiveLine) Show(line string) {
	if l.Now().Sub(l.last) >= l.every {
		l.write(line)
	}
}

// Count writes a line of progress as Show does. It always writes the end.
func (l *LiveLine) Count(done, total int, line func() string) {
	if done == total || l.Now().Sub(l.last) >= l.every {
		l.write(line())
	}
}

func (l *LiveLine) write(line string) {
	l.last = l.Now()
	if line == l.shown {
		return
	}
	l.shown = line
	if l.terminal {
		l.over(line)
		return
	}
	fmt.Fprintln(l.w, line) // a failure to write must not stop the work
}

// over overwrites the line.
func (l *LiveLine) over(line string) {
	if p, ok := l.w.(*Pulse); ok {
		p.overwrite(line)
		return
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", visible.Text(line))
}

// Say writes a line that stays.
func (l *LiveLine) Say(line string) {
	l.Wipe()
	fmt.Fprintln(l.w, line)
}

// Wipe erases the line, so that the next output begins a line of its own.
func (l *LiveLine) Wipe() {
	if l.terminal {
		l.over("")
	}
}

// Left returns a function that shows the number of things done, and the time left for the others.
func (l *LiveLine) Left(things string) func(done, total int) {
	var began time.Time
	first := 0
	return func(done, total int) {
		if began.IsZero() {
			began, first = l.Now(), done
		}
		l.Count(done, total, func() string {
			text := fmt.Sprintf("%d of %d %s", done, total, things)
			if done > first && done < total {
				text += fmt.Sprintf(", about %s left", time.Duration(float64(l.Now().Sub(began))/float64(done-first)*float64(total-done)).Round(time.Second))
			}
			return text
		})
	}
}

// Runs shows the number of finished runs of an audit.
func (l *LiveLine) Runs(done, total int) {
	l.Count(done, total, func() string { return fmt.Sprintf("%d of %d runs", done, total) })
}

// Bytes shows the number of bytes of a file that have arrived.
func (l *LiveLine) Bytes(name string, done, total int64) {
	l.Show(fmt.Sprintf("%s: %.1f of %.1f MB", name, float64(done)/1e6, float64(total)/1e6))
}
