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

// socketVariable tells a program which of its files is the way to Hearsay.
const socketVariable = "HEARSAY_MODEL_SOCKET"

// A link is the way to a program, which is started for it or runs already.
type link struct {
	conn net.Conn
	in   safetensors.Reader
	stop func() // ends what was started; may be called twice
}

// prefix of the path of a program that runs already.
const prefix = "unix:"

func attached(command string) bool { return strings.HasPrefix(command, prefix) }

// connect starts a program, or reaches one that runs.
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

// start starts the command as a process group of its own, with a socket instead of any file or port. What it prints goes
// to where Hearsay's own errors go, and nowhere else.
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

// lines keeps the end of what a program printed.
type lines struct {
	sync.Mutex
	text []byte
}

// mostKept is how many bytes of it.
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

// last is the last line that says something.
func (l *lines) last() string {
	l.Lock()
	defer l.Unlock()
	all := strings.Split(strings.TrimSpace(string(l.text)), "\n")
	return strings.TrimSpace(all[len(all)-1])
}
