package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/internal/visible"
)

// A Pulse passes on what a command says on stderr. Whenever that is nothing for
// a while, it says what is being done, for how long, and how far it is.
type Pulse struct {
	io.Writer
	safe *visible.Writer // to the same, escaped
	now  func() time.Time

	mu          sync.Mutex
	stage       string        // the last line said
	began, last time.Time     // of the stage, of anything said
	done, total int           // of the stage, if it counts
	from        int           // what was done when it began to count
	Hint        func() string // what to do after an interruption, nil for the usual
}

// NewPulse returns a pulse on w by the clock now.
func NewPulse(w io.Writer, now func() time.Time) *Pulse {
	return &Pulse{Writer: w, safe: &visible.Writer{To: w, Colours: Colours(w)}, now: now, began: now(), last: now()}
}

// Write implements io.Writer. What it is given are lines.
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

// Aside returns a writer to w whose lines do not say what is being done.
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
	_, _ = io.WriteString(p.Writer, "\r\x1b[K"+visible.Text(line)) // a line that cannot be written must not stop the work
}

// Enter begins a stage that is spoken of only if it takes long.
func (p *Pulse) Enter(stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.began, p.total = stage, p.now(), 0
}

// Progress notes how far a stage is.
func (p *Pulse) Progress(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total != p.total || done < p.done || done == 0 {
		p.began, p.from = p.now(), done
	}
	p.done, p.total = done, total
}

// beat says where the command is, if it has been silent for long enough.
func (p *Pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.now()
	if at.Sub(p.last) < Silence {
		return
	}
	p.last = at
	// Progress that cannot be shown is no reason to stop.
	_, _ = fmt.Fprintln(p.safe, p.text(at.Sub(p.began)))
}

// text is one line about a stage that has taken so long.
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

// Advice is what to do after an interruption, "" for the usual.
func (p *Pulse) Advice() string {
	if p.Hint == nil {
		return ""
	}
	return p.Hint()
}

// Watch beats until stop is called, which waits until nothing more is said.
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

// PulseOf is the pulse that w writes to; another one, which nobody hears, if
// there is none.
func PulseOf(w io.Writer) *Pulse {
	if p, ok := w.(*Pulse); ok {
		return p
	}
	return NewPulse(io.Discard, time.Now)
}
