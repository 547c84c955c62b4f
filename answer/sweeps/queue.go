package sweeps

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/hearsay-dp/hearsay/answer/studies"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/queue"
)

// ServerQuestion holds the addresses and credentials of the servers of a queue.
type ServerQuestion struct{ queue.Server }

// arguments returns the flags for another process.
func (f ServerQuestion) arguments() (list []string) {
	for _, one := range [][2]string{{"nats", f.URL}, {"nats-creds", f.Creds}, {"nats-secret", f.Secret}, {"nats-ca", f.CA}, {"nats-cert", f.Cert}, {"nats-key", f.Key}} {
		if one[1] != "" {
			list = append(list, "--"+one[0], one[1])
		}
	}
	return list
}

// QueueQuestion configures whether and where work is given out.
type QueueQuestion struct {
	ServerQuestion
	On       bool
	Listen   string
	Lease    time.Duration
	Replicas int
}

// Given reports whether work goes to a queue.
func (f *QueueQuestion) Given() bool { return f.On || f.URL != "" }

func (f *QueueQuestion) check() error {
	switch {
	case f.URL != "" && f.Listen != "":
		return fault.New("--listen is for a queue that this command keeps, --nats for one that is there", "leave one of them out")
	case f.Lease < 100*time.Millisecond || f.Lease > time.Hour:
		return fault.New(fmt.Sprintf("--lease %s", f.Lease), "give 100ms to 1h, such as 30s")
	case f.Replicas < 0 || f.Replicas > 5:
		return fault.New(fmt.Sprintf("--nats-replicas %d", f.Replicas), "give 1, 3 or 5")
	}
	return nil
}

// Readable reports whether others on the network can read the traffic of a queue that this command runs.
func (f *QueueQuestion) Readable() bool {
	host, _, err := net.SplitHostPort(f.Listen)
	if err != nil || f.Cert != "" {
		return false
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// A giver gives out work.
type giver struct {
	run    *queue.Run
	nc     *nats.Conn
	server ServerQuestion // for workers
	stop   func()
	folder string // of a server of this command; otherwise ""
	key    string // file of the secret from which tickets are derived
}

// open starts or finds a queue. id identifies the work. folder stores the data of a queue that this command runs.
func (f *QueueQuestion) open(ctx context.Context, id, folder string, say io.Writer) (*giver, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	program, err := thisProgram()
	if err != nil {
		return nil, err
	}
	g := &giver{server: f.ServerQuestion, stop: func() {}, key: filepath.Join(folder, "tickets.key")}
	key, err := ticketKey(g.key)
	if err != nil {
		return nil, err
	}
	as := f.Server
	if f.URL == "" {
		if f.Readable() {
			fmt.Fprintf(say, "warning: what goes through the queue at %s, data among it, is not encrypted: give --nats-cert and --nats-key\n", f.Listen)
		}
		if as, err = g.keep(f, folder); err != nil {
			return nil, err
		}
	}
	if g.nc, err = as.Connect("hearsay", saying(say)); err != nil {
		g.stop()
		return nil, err
	}
	sum := sha256.Sum256([]byte(id))
	g.run, err = queue.Open(ctx, g.nc, queue.Work{ID: hex.EncodeToString(sum[:16]), Key: key, Program: program, Lease: f.Lease, Replicas: f.copies(g.nc)})
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// ticketKey returns the secret in a file. It creates the file if there is none. A coordinator that resumes a run needs
// the secret to recognise the answers.
func ticketKey(path string) (key [queue.KeySize]byte, err error) {
	if text, err := regular.Read(path, queue.KeySize); err == nil && len(text) == queue.KeySize {
		return [queue.KeySize]byte(text), nil
	}
	if _, err := rand.Read(key[:]); err != nil {
		return key, err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = regular.Write(path, 0o600, func(w io.Writer) error {
			_, err := w.Write(key[:])
			return err
		})
	}
	if err != nil {
		return key, fault.Wrap(err, "cannot keep the queue's secret", "choose a folder you may write to")
	}
	return key, nil
}

// copies returns the number of servers that keep everything.
func (f *QueueQuestion) copies(nc *nats.Conn) int {
	switch {
	case f.Replicas > 0:
		return f.Replicas
	case nc.ConnectedClusterName() != "" && f.URL != "":
		return 3
	}
	return 1
}

// saying returns a function that writes lines.
func saying(w io.Writer) func(format string, what ...any) {
	return func(format string, what ...any) { fmt.Fprintf(w, format+"\n", what...) }
}

// invitation returns the command for other machines.
func (g *giver) invitation() string {
	return "hearsay worker " + strings.Join(g.server.arguments(), " ")
}

// end removes the work from the server, and the server's data from the disk. A run that is not done keeps its secret,
// so that workers find it again.
func (g *giver) end(ctx context.Context, done bool) {
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	_ = g.run.Close(last) // the rest expires after some days
	g.close()
	switch {
	case g.folder == "" && done:
		_ = os.Remove(g.key)
		_ = os.Remove(filepath.Dir(g.key)) // if it is empty
	case g.folder == "":
	case done:
		_ = os.RemoveAll(g.folder)
	default:
		_ = os.RemoveAll(filepath.Join(g.folder, "jetstream"))
	}
}

func (g *giver) close() {
	g.nc.Close()
	g.stop()
	g.stop = func() {}
}

// thisProgram identifies programs whose results may differ in some bits, by their content and the processor's
// arithmetic.
func thisProgram() (queue.Program, error) {
	digest, err := studies.ProgramHash()
	if err != nil {
		return queue.Program{}, err
	}
	return queue.Program{Digest: digest[:32] + "-" + queue.Arithmetic(), Version: experiment.Version()}, nil
}

// progress returns a function that reports progress, and warns once if there are no workers.
func (g *giver) progress(p *terminal.Pulse, say io.Writer, total int, unit string) func(left, inHand, idle int) {
	lonely, warned := time.Time{}, false
	p.Enter(unit + " that workers have")
	return func(left, inHand, idle int) {
		p.Progress(total-left, total)
		switch {
		case inHand+idle > 0:
			lonely = time.Time{}
		case lonely.IsZero():
			lonely = time.Now()
		case !warned && time.Since(lonely) > 5*time.Second:
			warned = true
			fmt.Fprintf(say, "nobody takes any: start %s\n", g.invitation())
		}
	}
}

// identityOf returns an identity of a run in a folder, unique across machines.
func identityOf(folder string, more ...string) (string, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	name, err := os.Hostname()
	return strings.Join(append([]string{name, whole}, more...), "\x00"), err
}
