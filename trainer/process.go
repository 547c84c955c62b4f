package trainer

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/safetensors"
)

// socketVariable tells a program the file descriptor of its socket to Hearsay.
const socketVariable = "HEARSAY_MODEL_SOCKET"

// A link is the connection to a program that was started for it or already runs.
type link struct {
	conn net.Conn
	in   safetensors.Reader
	stop func() // ends the started process; may be called twice
}

// prefix starts the address of a program that already runs.
const prefix = "unix:"

func attached(command string) bool { return strings.HasPrefix(command, prefix) }

// connect starts a program, or connects to one that runs.
func (t *Trainer) connect(ctx context.Context) (*link, error) {
	if path, runs := strings.CutPrefix(t.command, prefix); runs {
		dialer := net.Dialer{Timeout: t.deadline}
		conn, err := dialer.DialContext(ctx, "unix", path)
		if err != nil {
			return nil, fault.Wrap(err, "--model "+t.command, "start the program there: hearsay.trainer.serve(..., address='"+t.command+"')")
		}
		return newLink(conn, func() { conn.Close() }), nil
	}
	return t.start()
}

func newLink(conn net.Conn, stop func()) *link {
	return &link{conn: conn, in: safetensors.Reader{From: conn}, stop: stop}
}

// start starts the command in a process group of its own, with a socket instead of a file or port. Its output goes to
// Options.Stderr only, and its end is kept for messages.
func (t *Trainer) start() (*link, error) {
	args, err := Words(t.command)
	if err != nil {
		return nil, err
	}
	own, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Env = append(os.Environ(), socketVariable+"=3")
	t.last.reset()
	out := io.MultiWriter(t.stderr, &t.last)
	cmd.Stdout, cmd.Stderr = out, out
	ownGroup(cmd)
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		own.Close()
		return nil, fault.Wrap(err, "--model", "give a program that can be started, such as --model 'python3 my_model.py'")
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its end shows on the socket
		close(ended)
	}()
	var once sync.Once
	return newLink(own, func() {
		once.Do(func() {
			own.Close()
			killGroup(cmd)
			<-ended
		})
	}), nil
}

// lines keeps the last part of a program's output.
type lines struct {
	sync.Mutex
	text []byte
}

// mostKept is the number of bytes that lines keeps.
const mostKept = 2048

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	l.text = append(l.text, p...)
	if n := len(l.text); n > mostKept {
		l.text = append(l.text[:0], l.text[n-mostKept:]...)
	}
	return len(p), nil
}

func (l *lines) reset() {
	l.Lock()
	defer l.Unlock()
	l.text = l.text[:0]
}

// last returns the last line that is not blank.
func (l *lines) last() string {
	l.Lock()
	defer l.Unlock()
	all := strings.Split(strings.TrimSpace(string(l.text)), "\n")
	return strings.TrimSpace(all[len(all)-1])
}
