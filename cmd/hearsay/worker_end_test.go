//go:build !race

package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/queue/server"
)

// A process whose crew has been killed takes the data away, whatever it notices first: that nobody hears what it says of the queue
// that is gone, or that the queue cannot be used.
func TestAWorkerLeftBehindTakesItsDataAway(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: some seconds, and processes")
	}
	s, err := server.Start(server.Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("wrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, with := range map[string]string{"nobody hears it": s.Secret, "it is not let in": secret} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "data")
			if err := os.MkdirAll(filepath.Join(folder, "rows"), 0o700); err != nil {
				t.Fatal(err)
			}
			way := passedOn(t, strings.TrimPrefix(s.URL, "nats://"))
			w := hearsayIn(t, t.TempDir(), "worker", "--attached", "--passing", "--dir", folder, "--nats", "nats://"+way.Addr().String(), "--nats-secret", with)
			in, err := w.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			heard, err := w.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			defer killGroup(w)
			heard.Close()
			<-way.used
			way.close()
			time.Sleep(300 * time.Millisecond) // it says so
			in.Close()
			_ = w.Wait()
			if _, err := os.Stat(folder); !os.IsNotExist(err) {
				t.Errorf("its data are still there: %v, %v", err, w.ProcessState)
			}
		})
	}
}

// A way to a server can be taken away.
type way struct {
	net.Listener
	used chan struct{} // closed once something was asked and answered
	gone chan struct{}
}

func (w *way) close() {
	w.Listener.Close()
	close(w.gone)
}

// passedOn leads to an address.
func passedOn(t *testing.T, address string) *way {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &way{l, make(chan struct{}), make(chan struct{})}
	go func() {
		in, err := l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", address)
		if err != nil {
			in.Close()
			return
		}
		go func() {
			<-w.gone
			in.Close()
			out.Close()
		}()
		go func() { _, _ = io.Copy(out, in) }()
		_, _ = io.CopyN(in, out, 100) // what the server says of itself
		time.AfterFunc(200*time.Millisecond, func() { close(w.used) })
		_, _ = io.Copy(in, out)
	}()
	return w
}
