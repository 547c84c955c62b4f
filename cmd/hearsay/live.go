package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/visible"
)

// A liveLine is a line on a terminal that is written again and again; elsewhere
// it shows up every few seconds. It has nothing but words, and no escape codes
// where there is no terminal.
type liveLine struct {
	w        io.Writer
	now      func() time.Time
	terminal bool
	every    time.Duration
	last     time.Time
	shown    string
}

func newLiveLine(w io.Writer) *liveLine {
	l := &liveLine{w: w, now: time.Now, terminal: isTerminal(w), every: silence}
	if l.terminal {
		l.every = 100 * time.Millisecond
	}
	l.last = l.now()
	return l
}

// show writes a line, unless it has just written another.
func (l *liveLine) show(line string) {
	if l.now().Sub(l.last) >= l.every {
		l.write(line)
	}
}

// count is show of how far something is; the end is always said.
func (l *liveLine) count(done, total int, line func() string) {
	if done == total || l.now().Sub(l.last) >= l.every {
		l.write(line())
	}
}

func (l *liveLine) write(line string) {
	l.last = l.now()
	if line == l.shown {
		return
	}
	l.shown = line
	if l.terminal {
		l.over(line)
		return
	}
	fmt.Fprintln(l.w, line) // a line that cannot be written must not stop the work
}

// over writes over the line.
func (l *liveLine) over(line string) {
	if p, ok := l.w.(*pulse); ok {
		p.overwrite(line)
		return
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", visible.Text(line))
}

// say writes a line that stays.
func (l *liveLine) say(line string) {
	l.wipe()
	fmt.Fprintln(l.w, line)
}

// wipe takes the line away, so that what is printed next has one of its own.
func (l *liveLine) wipe() {
	if l.terminal {
		l.over("")
	}
}

// training shows steps, rate, time left and loss.
func (l *liveLine) training() experiment.Progress {
	began := l.now()
	return func(t experiment.Tick) {
		if t.Done == 0 {
			return
		}
		l.count(t.Done, t.Total, func() string {
			rate, left := pace(t, l.now().Sub(began))
			if t.Unit != "" {
				return fmt.Sprintf("%d of %d %s, %s left", t.Done, t.Total, t.Unit, left)
			}
			return fmt.Sprintf("%d of %d steps, %.0f a second, %s left, loss %.4f", t.Done, t.Total, rate, left, t.TrainLoss)
		})
	}
}

// pace is the steps a second so far, at least one, and the time left at that
// rate.
func pace(t experiment.Tick, spent time.Duration) (rate float64, left time.Duration) {
	rate = float64(t.Done) / max(spent.Seconds(), 1e-9)
	return rate, time.Duration(float64(t.Total-t.Done) / rate * float64(time.Second)).Round(time.Second)
}

// left shows how many things are done, and the time left for the others.
func (l *liveLine) left(things string) func(done, total int) {
	var began time.Time
	first := 0
	return func(done, total int) {
		if began.IsZero() {
			began, first = l.now(), done
		}
		l.count(done, total, func() string {
			text := fmt.Sprintf("%d of %d %s", done, total, things)
			if done > first && done < total {
				text += fmt.Sprintf(", about %s left", time.Duration(float64(l.now().Sub(began))/float64(done-first)*float64(total-done)).Round(time.Second))
			}
			return text
		})
	}
}

// runs shows how many runs of an audit are done.
func (l *liveLine) runs(done, total int) {
	l.count(done, total, func() string { return fmt.Sprintf("%d of %d runs", done, total) })
}

// bytes shows how much of a file has arrived.
func (l *liveLine) bytes(name string, done, total int64) {
	l.show(fmt.Sprintf("%s: %.1f of %.1f MB", name, float64(done)/1e6, float64(total)/1e6))
}

// isTerminal reports whether w is one.
func isTerminal(w io.Writer) bool {
	switch o := w.(type) {
	case *output:
		w = o.Writer
	case *pulse:
		w = o.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// colours reports whether w is a terminal that wants colours.
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }
