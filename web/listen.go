package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// leastToken is the least number of characters of a token.
const leastToken = 16

// ReadToken reads a token from the first line of a file.
func ReadToken(path string) (string, error) {
	text, err := regular.Read(path, 4096)
	if err != nil {
		return "", fault.Wrap(err, "cannot read the token", "make one with: (umask 077; openssl rand -hex 32 > "+path+")")
	}
	token, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if token = strings.TrimSpace(token); len(token) < leastToken {
		return "", fault.New(fmt.Sprintf("%s: a token has %d characters or more, this one %d", path, leastToken, len(token)),
			"make one with: (umask 077; openssl rand -hex 32 > "+path+")")
	}
	return token, nil
}

// An Access holds the address of a dashboard and the rules for access.
type Access struct {
	Address string   // host:port
	Token   string   // "": no token
	Hosts   []string // Host names besides those of this machine
}

// Listen opens the address. It requires a token beyond the loopback interface, and if
// there are further Host names.
func (a Access) Listen() (net.Listener, error) {
	host, _, err := net.SplitHostPort(a.Address)
	if err != nil {
		return nil, fault.New(fmt.Sprintf("--listen %s is no address", a.Address), "give HOST:PORT, such as 127.0.0.1:8440")
	}
	ip := net.ParseIP(host)
	alone := host == "localhost" || ip != nil && ip.IsLoopback()
	if a.Token == "" && (!alone || len(a.Hosts) > 0) {
		return nil, fault.New(fmt.Sprintf("whoever reaches %s would see what is shown", a.Address),
			"give the file of a token with --token, or listen on 127.0.0.1 alone")
	}
	listener, err := net.Listen("tcp", a.Address)
	if err != nil {
		return nil, fault.Wrap(err, "cannot listen on "+a.Address, "choose another port with --listen 127.0.0.1:PORT, or end what has this one")
	}
	return listener, nil
}

// Serve serves requests until ctx ends.
func (a Access) Serve(ctx context.Context, listener net.Listener, o Options) error {
	var session [32]byte
	if _, err := rand.Read(session[:]); err != nil {
		return errors.Join(err, listener.Close())
	}
	s := New(o)
	defer s.Close()
	guard := &Guard{Token: a.Token, Hosts: a.Hosts, Session: hex.EncodeToString(session[:]), Now: o.Now}
	server := &http.Server{Handler: guard.Handler(s.Handler()), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
