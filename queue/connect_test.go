package queue_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/queue"
	"github.com/hearsay-dp/hearsay/queue/server"
)

// An authority vouches for certificates: its own is in a file.
type authority struct {
	t      *testing.T
	key    *ecdsa.PrivateKey
	own    *x509.Certificate
	folder string
	file   string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, folder: t.TempDir()}
	a.key = newKey(t)
	a.own = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.file = a.write(name+".pem", "CERTIFICATE", a.sign(a.own, a.key))
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(c *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	text, err := x509.CreateCertificate(rand.Reader, c, a.own, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return text
}

func (a *authority) write(name, kind string, text []byte) string {
	a.t.Helper()
	path := filepath.Join(a.folder, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: text}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// issue makes the files of a certificate for this machine, until some time.
func (a *authority) issue(name string, address net.IP, until time.Time) (cert, key string) {
	a.t.Helper()
	own := newKey(a.t)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: until.Add(-24 * time.Hour), NotAfter: until, IPAddresses: []net.IP{address},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	text, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(name+".crt", "CERTIFICATE", a.sign(c, own)), a.write(name+".key", "EC PRIVATE KEY", text)
}

// serve starts somebody's NATS server, which wants certificates of clients where an authority for them is given.
func serve(t *testing.T, cert, key string, clients *authority, change func(*natsserver.Options)) string {
	t.Helper()
	o := &natsserver.Options{
		ServerName: "theirs", Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true,
		DisableJetStreamBanner: true,
	}
	if cert != "" {
		config := &natsserver.TLSConfigOpts{CertFile: cert, KeyFile: key}
		if clients != nil {
			config.CaFile, config.Verify = clients.file, true
		}
		made, err := natsserver.GenTLSConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		o.TLSConfig, o.TLS, o.TLSVerify, o.TLSTimeout = made, true, clients != nil, 10
	}
	change(o)
	s, err := natsserver.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("no server")
	}
	return s.ClientURL()
}

// fileOf is a file with a text.
func fileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused wants an error of one line with a hint that names a flag.
func refused(t *testing.T, s queue.Server, flag string) {
	t.Helper()
	nc, err := s.Connect("test", quiet)
	if err == nil {
		nc.Close()
		t.Errorf("%+v is let in", s)
		return
	}
	if text, hint := err.Error(), fault.Hint(err); strings.ContainsAny(text+hint, "\n\r") || !strings.Contains(hint, flag) {
		t.Errorf("error %q, hint %q has no %s", text, hint, flag)
	}
}

func admitted(t *testing.T, s queue.Server) {
	t.Helper()
	nc, err := s.Connect("test", quiet)
	if err != nil {
		t.Errorf("%v (%s)", err, fault.Hint(err))
		return
	}
	defer nc.Close()
	if err := nc.Flush(); err != nil {
		t.Error(err)
	}
}

// A server that wants to know its clients lets in whoever has a certificate and the secret that it knows, and is believed where
// its own certificate is vouched for.
func TestServersWithTLS(t *testing.T) {
	here, soon := net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour)
	theirs, others := newAuthority(t, "theirs"), newAuthority(t, "others")
	cert, key := theirs.issue("server", here, soon)
	good := queue.Server{CA: theirs.file, Secret: fileOf(t, "ann:right\n")}
	good.Cert, good.Key = theirs.issue("client", here, soon)
	good.URL = serve(t, cert, key, theirs, func(o *natsserver.Options) { o.Users = []*natsserver.User{{Username: "ann", Password: "right"}} })
	admitted(t, good)
	for flag, changes := range map[string][]func(*queue.Server){
		"--nats-ca": {
			func(s *queue.Server) { s.CA = "" },
			func(s *queue.Server) { s.CA = others.file },
			func(s *queue.Server) { s.CA = fileOf(t, "no certificate") },
			func(s *queue.Server) { s.CA = filepath.Join(t.TempDir(), "none") },
		},
		"--nats-cert": {
			func(s *queue.Server) { s.Cert, s.Key = "", "" },
			func(s *queue.Server) { s.Cert, s.Key = others.issue("client", here, soon) },
			func(s *queue.Server) { s.Cert, s.Key = theirs.issue("late", here, time.Now().Add(-time.Minute)) },
			func(s *queue.Server) { s.Key = "" },
			func(s *queue.Server) { s.Key = key }, // of another certificate
			func(s *queue.Server) { s.Cert = fileOf(t, "no certificate") },
		},
		"--nats-secret": {
			func(s *queue.Server) { s.Secret = "" },
			func(s *queue.Server) { s.Secret = fileOf(t, "ann:wrong") },
			func(s *queue.Server) { s.Secret = fileOf(t, "token") },
			func(s *queue.Server) { s.URL = strings.Replace(s.URL, "//", "//ann:right@", 1) },
		},
		"tls://": {
			func(s *queue.Server) {
				s.URL, s.Cert, s.Key, s.CA = serve(t, "", "", nil, func(*natsserver.Options) {}), "", "", theirs.file
				s.URL = strings.Replace(s.URL, "nats://", "tls://", 1)
			},
		},
	} {
		for _, change := range changes {
			bad := good
			change(&bad)
			refused(t, bad, flag)
		}
	}
	elsewhere, itsKey := theirs.issue("elsewhere", net.IPv4(10, 1, 2, 3), soon) // a certificate for another address
	bad := good
	bad.URL = serve(t, elsewhere, itsKey, nil, func(*natsserver.Options) {})
	refused(t, bad, "--nats-ca")
}

// A queue of our own with a certificate takes whoever vouches for it.
func TestOwnServerWithTLS(t *testing.T) {
	a := newAuthority(t, "ours")
	cert, key := a.issue("server", net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour))
	s, err := server.Start(server.Options{Folder: t.TempDir(), Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if !strings.HasPrefix(s.URL, "tls://") {
		t.Errorf("workers are sent to %s", s.URL)
	}
	admitted(t, queue.Server{URL: s.URL, Secret: s.Secret, CA: a.file})
	refused(t, queue.Server{URL: s.URL, Secret: s.Secret}, "--nats-ca")
	plain := strings.Replace(s.URL, "tls://", "nats://", 1)
	conn, err := net.Dial("tcp", strings.TrimPrefix(plain, "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = conn.Write([]byte("CONNECT {\"user\":\"worker\"}\r\nPING\r\n"))
	text := make([]byte, 1<<16)
	for n := 1; n > 0; {
		if n, _ = conn.Read(text); strings.Contains(string(text[:n]), "PONG") {
			t.Error("the server talks without TLS")
		}
	}
	if _, err := server.Start(server.Options{Folder: t.TempDir(), Cert: cert, Key: cert}); err == nil || !strings.Contains(fault.Hint(err), "--nats-cert") {
		t.Errorf("a certificate without a key: %v", err)
	}
	if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
		t.Error(err)
	}
}

// A realm is an operator's account with users, as large clusters have them: JWTs that nkeys sign.
type realm struct {
	t                 *testing.T
	operator, account nkeys.KeyPair
	claims            string // the operator's
	resolver          *natsserver.MemAccResolver
}

func newRealm(t *testing.T) *realm {
	t.Helper()
	r := &realm{t: t, operator: pair(t, nkeys.CreateOperator), account: pair(t, nkeys.CreateAccount), resolver: &natsserver.MemAccResolver{}}
	system := pair(t, nkeys.CreateAccount)
	of := jwt.NewOperatorClaims(public(t, r.operator))
	of.SystemAccount = public(t, system)
	r.claims = encoded(t, of, r.operator)
	if err := r.resolver.Store(of.SystemAccount, encoded(t, jwt.NewAccountClaims(of.SystemAccount), r.operator)); err != nil {
		t.Fatal(err)
	}
	account := jwt.NewAccountClaims(public(t, r.account))
	account.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	if err := r.resolver.Store(public(t, r.account), encoded(t, account, r.operator)); err != nil {
		t.Fatal(err)
	}
	return r
}

func pair(t *testing.T, make func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	t.Helper()
	p, err := make()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func public(t *testing.T, p nkeys.KeyPair) string {
	t.Helper()
	text, err := p.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func encoded(t *testing.T, c jwt.Claims, by nkeys.KeyPair) string {
	t.Helper()
	text, err := c.Encode(by)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// creds is the file of a user, until some time; with another user's seed where one is given.
func (r *realm) creds(until time.Time, seedOf nkeys.KeyPair) string {
	r.t.Helper()
	user := pair(r.t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(public(r.t, user))
	claims.Expires = until.Unix()
	text, err := jwt.FormatUserConfig(encoded(r.t, claims, r.account), seed(r.t, user))
	if err != nil {
		r.t.Fatal(err)
	}
	if seedOf != nil {
		text = bytes.Replace(text, seed(r.t, user), seed(r.t, seedOf), 1)
	}
	return fileOf(r.t, string(text))
}

func seed(t *testing.T, p nkeys.KeyPair) []byte {
	t.Helper()
	text, err := p.Seed()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// serve starts the realm's server.
func (r *realm) serve(cert, key string, clients *authority) string {
	return serve(r.t, cert, key, clients, func(o *natsserver.Options) {
		claims, err := jwt.DecodeOperatorClaims(r.claims)
		if err != nil {
			r.t.Fatal(err)
		}
		o.TrustedOperators, o.AccountResolver, o.SystemAccount = []*jwt.OperatorClaims{claims}, r.resolver, claims.SystemAccount
	})
}

// A queue goes through servers that know clients by certificates and users by credentials; others are not let in.
func TestServersWithCredentials(t *testing.T) {
	here, soon := net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour)
	a, r := newAuthority(t, "theirs"), newRealm(t)
	cert, key := a.issue("server", here, soon)
	good := queue.Server{URL: r.serve(cert, key, a), CA: a.file, Creds: r.creds(soon, nil)}
	good.Cert, good.Key = a.issue("client", here, soon)
	for what, creds := range map[string]string{
		"nobody's":               "",
		"of another operator":    newRealm(t).creds(soon, nil),
		"of yesterday":           r.creds(time.Now().Add(-24*time.Hour), nil),
		"with another's seed":    r.creds(soon, pair(t, nkeys.CreateUser)),
		"without a seed":         fileOf(t, "-----BEGIN NATS USER JWT-----\nabc\n------END NATS USER JWT------\n"),
		"that are no such thing": fileOf(t, "no credentials"),
		"that are not there":     filepath.Join(t.TempDir(), "none"),
	} {
		t.Run(what, func(t *testing.T) {
			bad := good
			bad.Creds = creds
			refused(t, bad, "creds")
		})
	}
	nc, err := good.Connect("coordinator", quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	helper, err := good.Connect("worker", quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(helper.Close)
	var ended sync.WaitGroup
	ctx := t.Context()
	ended.Go(func() {
		if err := (&queue.Worker{Program: program, Handlers: handlers(), Say: quiet}).Run(ctx, helper); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(ended.Wait)
	if answers, failed := collect(t, open(t, nc, time.Minute), kinds("double", "a", "b")); answers[0] != "aa" || answers[1] != "bb" {
		t.Error(answers, failed)
	}
}
