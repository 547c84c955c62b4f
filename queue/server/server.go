// Package server runs a NATS server with JetStream inside this program, for a queue of package queue.
package server

import (
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/queue"
)

// Options configure a server.
type Options struct {
	Folder    string // for the stored streams and the secrets
	Listen    string // host:port; "": a free port of loopback
	Cert, Key string // files of the certificate; "": no TLS
	Cluster   *Cluster
}

// A Cluster is a group of servers that replace each other.
type Cluster struct {
	Name   string   // name of this server
	Port   int      // port for the other servers, on loopback
	Others []string // nats://host:port of all cluster ports, including this one
	Secret string   // shared by the servers and the coordinator
}

// A Server runs until Close.
type Server struct {
	URL         string // address for workers
	Secret      string // file with the secret of workers
	Coordinator string // file with the secret of the coordinator
	inner       *server.Server
}

// mostStored is the largest total size of all streams, in bytes.
const mostStored = 64 << 30

// Start starts a server. Acknowledged messages are on disk.
func Start(o Options) (*Server, error) {
	host, port, err := address(o.Listen)
	if err != nil {
		return nil, err
	}
	if err := free(host, port); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return nil, fault.Wrap(err, "cannot make the queue's folder", "choose a folder you may write to")
	}
	s := &Server{Secret: filepath.Join(o.Folder, "worker.secret"), Coordinator: filepath.Join(o.Folder, "coordinator.secret")}
	workers, err := secret(s.Secret, "worker", o.Cluster)
	if err != nil {
		return nil, err
	}
	own, err := secret(s.Coordinator, "coordinator", o.Cluster)
	if err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName: "hearsay", Host: host, Port: port, NoSigs: true, NoLog: true, MaxPayload: 1 << 20, WriteDeadline: 10 * time.Second,
		JetStream: true, StoreDir: o.Folder, JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: mostStored, SyncAlways: true, SyncInterval: time.Minute,
		NoSystemAccount: false, DisableJetStreamBanner: true, AuthTimeout: 30, // for a machine under load, in seconds
		CustomClientAuthentication: passwords{coordinator: own, worker: workers},
	}
	if err := withTLS(options, o); err != nil {
		return nil, err
	}
	if c := o.Cluster; c != nil {
		options.ServerName = c.Name
		options.Cluster = server.ClusterOpts{Name: "hearsay", Host: "127.0.0.1", Port: c.Port, Username: "route", Password: c.Secret}
		options.Routes = server.RoutesFromStr(strings.Join(c.Others, ","))
	}
	if s.inner, err = server.NewServer(options); err != nil {
		return nil, fault.Wrap(err, "cannot make a queue", "choose another --listen")
	}
	s.inner.Start()
	if !s.inner.ReadyForConnections(20 * time.Second) {
		s.Close()
		return nil, fault.New(fmt.Sprintf("no queue can be had on %s", net.JoinHostPort(host, strconv.Itoa(port))), "choose another address or port with --listen")
	}
	s.URL = s.inner.ClientURL()
	return s, nil
}

// Close stops the server and waits until it has stopped.
func (s *Server) Close() {
	s.inner.Shutdown()
	s.inner.WaitForShutdown()
}

func address(listen string) (host string, port int, err error) {
	if listen == "" {
		return "127.0.0.1", server.RANDOM_PORT, nil
	}
	const hint = "give host:port, such as 10.0.0.1:4222, or 127.0.0.1:0 for a free port of this machine"
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fault.Wrap(err, "--listen "+listen, hint)
	}
	if port, err = strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return "", 0, fault.New("--listen "+listen+" has no port", hint)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// free refuses an address that cannot be listened on, because the server would retry for a long time without a message.
func free(host string, port int) error {
	if port == server.RANDOM_PORT {
		port = 0
	}
	at := net.JoinHostPort(host, strconv.Itoa(port))
	l, err := net.Listen("tcp", at)
	if err != nil {
		return fault.Wrap(err, "no queue can be had on "+at, "choose another address or port of this machine with --listen")
	}
	return l.Close()
}

func withTLS(to *server.Options, o Options) error {
	if o.Cert == "" && o.Key == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		return fault.Wrap(err, "cannot read the certificate", "give PEM files with --nats-cert and --nats-key")
	}
	to.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	to.TLS = true
	return nil
}

// secret returns the password in a file of user:password. It creates the file if there is none.
func secret(path, user string, c *Cluster) (string, error) {
	if text, err := regular.Read(path, 1<<10); err == nil {
		if name, password, found := strings.Cut(strings.TrimSpace(string(text)), ":"); found && name == user && len(password) >= 32 {
			return password, nil
		}
	}
	var random [24]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	password := hex.EncodeToString(random[:])
	if c != nil {
		password = c.Secret // one for all servers of the cluster
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", fault.Wrap(err, "cannot keep the queue's secret", "choose a folder you may write to")
	}
	_, err = fmt.Fprintf(file, "%s:%s\n", user, password)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return password, err
}

// passwords holds the passwords of the two users.
type passwords struct{ coordinator, worker string }

// Check implements server.Authentication. A worker may subscribe only to the inbox that its connection names, because
// other inboxes receive jobs with their tickets.
func (p passwords) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	is := func(user, password string) bool {
		return o.Username == user && subtle.ConstantTimeCompare([]byte(o.Password), []byte(password)) == 1
	}
	switch {
	case is("coordinator", p.coordinator):
		c.RegisterUser(&server.User{Username: "coordinator"})
		return true
	case is("worker", p.worker):
		inbox, named := queue.InboxOf(o.Name)
		if named {
			c.RegisterUser(&server.User{Username: "worker", Permissions: workerMay(inbox)})
		}
		return named
	}
	return false
}

// workerMay returns the permissions of workers: find runs, take jobs, answer, fetch data and store long answers.
// Workers cannot read a job that they do not take, and cannot create, change or remove anything else.
func workerMay(inbox string) *server.Permissions {
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			"$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.INFO.*",
			"$JS.API.CONSUMER.INFO.*.workers", "$JS.API.CONSUMER.MSG.NEXT.*.workers", "$JS.ACK.*.workers.>", "$JS.ACK.*.*.*.workers.>",
			"$JS.API.DIRECT.GET.*.hearsay.*.data.*.*", "$JS.API.DIRECT.GET.*.hearsay.*.long.*.*", "hearsay.*.long.*.*",
			"hearsay.*.answer.*",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox + ".>"}},
	}
}
