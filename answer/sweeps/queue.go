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

// ServerQuestion say how the servers of a queue are reached.
type ServerQuestion struct{ queue.Server }

// arguments are the flags again, for a process of its own.
func (f ServerQuestion) arguments() (list []string) {
	for _, one := range [][2]string{{"nats", f.URL}, {"nats-creds", f.Creds}, {"nats-secret", f.Secret}, {"nats-ca", f.CA}, {"nats-cert", f.Cert}, {"nats-key", f.Key}} {
		if one[1] != "" {
			list = append(list, "--"+one[0], one[1])
		}
	}
	return list
}

// QueueQuestion say whether, and where, work is given out.
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

// Readable reports whether others on the network can read what goes through a queue of
// this command's own.
func (f *QueueQuestion) Readable() bool {
	host, _, err := net.SplitHostPort(f.Listen)
	if err != nil || f.Cert != "" {
		return false
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// A giver gives work out.
type giver struct {
	run    *queue.Run
	nc     *nats.Conn
	server ServerQuestion // for workers
	stop   func()
	folder string // of a server of this command's own, else ""
	key    string // file of the secret that tickets follow from
}

// openQueue starts or finds a queue for some work, which id tells from other work. folder keeps what a queue of this
// command's own stores.
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

// ticketKey is the secret in a file, which is made where there is none: who goes on with a run knows the answers to its jobs by it.
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

// copies is how many servers keep everything.
func (f *QueueQuestion) copies(nc *nats.Conn) int {
	switch {
	case f.Replicas > 0:
		return f.Replicas
	case nc.ConnectedClusterName() != "" && f.URL != "":
		return 3
	}
	return 1
}

// saying writes lines.
func saying(w io.Writer) func(format string, what ...any) {
	return func(format string, what ...any) { fmt.Fprintf(w, format+"\n", what...) }
}

// invitation is how other machines take part.
func (g *giver) invitation() string {
	return "hearsay worker " + strings.Join(g.server.arguments(), " ")
}

// end takes the work off the server, and what the server stored off the disk. A run that is not done yet keeps its secret, so that
// workers find it again.
func (g *giver) end(ctx context.Context, done bool) {
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	_ = g.run.Close(last) // what stays goes after some days
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

// thisProgram tells programs apart that may give other bits: by their bytes, and by how this processor calculates.
func thisProgram() (queue.Program, error) {
	digest, err := studies.ProgramHash()
	if err != nil {
		return queue.Program{}, err
	}
	return queue.Program{Digest: digest[:32] + "-" + queue.Arithmetic(), Version: experiment.Version()}, nil
}

// progress tells the pulse, and warns once where nobody works.
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

// identityOf is what tells a run in a folder from runs elsewhere.
func identityOf(folder string, more ...string) (string, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	name, err := os.Hostname()
	return strings.Join(append([]string{name, whole}, more...), "\x00"), err
}
