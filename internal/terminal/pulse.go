package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/internal/visible"
)

// A Pulse passes on a command's messages on stderr. After Silence without any it reports the current stage, its duration and
// its progress.
type Pulse struct {
	io.Writer
	safe *visible.Writer // writes to the same writer, escaped
	now  func() time.Time

	mu          sync.Mutex
	stage       string        // the last line said
	began, last time.Time     // start of the stage, and time of the last message
	done, total int           // progress of the stage; total 0: it does not count
	from        int           // done when the stage began to count
	Hint        func() string // advice after an interruption; nil: the usual advice
}

// NewPulse returns a pulse on w by the clock now.
func NewPulse(w io.Writer, now func() time.Time) *Pulse {
	return &Pulse{Writer: w, safe: &visible.Writer{To: w, Colours: Colours(w)}, now: now, began: now(), last: now()}
}

// Write implements io.Writer. Its argument consists of whole lines.
func (p *Pulse) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if line := lines[len(lines)-1]; line != "" && !strings.ContainsAny(line, "\r\x1b") {
		p.stage, p.began, p.total = line, p.now(), 0
	}
	p.last = p.now()
	return p.safe.Write(text)
}

// Aside returns a writer to w whose lines do not set the current stage.
func Aside(w io.Writer) io.Writer {
	if p, ok := w.(*Pulse); ok {
		return aside{p}
	}
	return w
}

type aside struct{ *Pulse }

// Write implements io.Writer.
func (a aside) Write(text []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = a.now()
	return a.safe.Write(text)
}

// overwrite writes a line over the last one, on a terminal; "" wipes it.
func (p *Pulse) overwrite(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.now()
	_, _ = io.WriteString(p.Writer, "\r\x1b[K"+visible.Text(line)) // a failure to write must not stop the work
}

// Enter begins a stage that is reported only if it takes long.
func (p *Pulse) Enter(stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.began, p.total = stage, p.now(), 0
}

// Progress sets the progress of a stage.
func (p *Pulse) Progress(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total != p.total || done < p.done || done == 0 {
		p.began, p.from = p.now(), done
	}
	p.done, p.total = done, total
}

// beat reports the current stage, if the command has been silent for long enough.
func (p *Pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.now()
	if at.Sub(p.last) < Silence {
		return
	}
	p.last = at
	// A failure to show progress is no reason to stop.
	_, _ = fmt.Fprintln(p.safe, p.text(at.Sub(p.began)))
}

// text returns one line about a stage with its duration so far.
func (p *Pulse) text(spent time.Duration) string {
	text := fmt.Sprintf("still %s: %s", strings.TrimPrefix(p.stage, "still "), spent.Round(time.Second))
	if p.total == 0 {
		return text
	}
	text += fmt.Sprintf(", %d of %d done", p.done, p.total)
	if p.done > p.from && p.done < p.total {
		left := time.Duration(float64(spent) / float64(p.done-p.from) * float64(p.total-p.done))
		text += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	return text
}

// Advice returns the advice after an interruption, "" for the usual one.
func (p *Pulse) Advice() string {
	if p.Hint == nil {
		return ""
	}
	return p.Hint()
}

// Watch reports at intervals until stop is called. stop waits until the last report is written.
func (p *Pulse) Watch(what string) (stop func()) {
	p.mu.Lock()
	p.stage = what
	p.mu.Unlock()
	ticker, done, gone := time.NewTicker(Silence/4), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-ticker.C:
				p.beat()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-gone
	}
}

// PulseOf returns the pulse that w is. If w is none, it returns a new pulse whose output is discarded.
func PulseOf(w io.Writer) *Pulse {
	if p, ok := w.(*Pulse); ok {
		return p
	}
	return NewPulse(io.Discard, time.Now)
}
