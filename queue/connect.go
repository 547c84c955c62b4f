package queue

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A Server holds the addresses and credentials of the NATS servers.
type Server struct {
	URL       string // nats://host:port or tls://host:port; several, separated by commas
	Creds     string // file with the JWT and seed of a user
	Secret    string // file with a token, or with user:password
	CA        string // file with the CA certificates of the servers
	Cert, Key string // files of the client certificate
}

// mostSecret is the largest size in bytes of a file with a secret.
const mostSecret = 64 << 10

// Connect connects to one of the servers, and to another one whenever the connection is lost. name is the name of
// the connection. say reports lost and restored connections.
func (s Server) Connect(name string, say func(format string, what ...any)) (*nats.Conn, error) {
	inbox := newInbox()
	options := []nats.Option{
		nats.Name(name + inboxMark + inbox), nats.CustomInboxPrefix(inbox), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				say("lost the server (%v); trying again", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { say("back on %s", nc.ConnectedAddr()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) { // the caller reports every other error
				say("these credentials do not allow what is needed: %v", err)
			}
		}),
	}
	if strings.Contains(s.URL, "@") {
		return nil, fault.New("a server's URL holds no secret: everybody on this machine sees it", "give it in a file, with --nats-secret or --nats-creds")
	}
	more, err := s.identity()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(s.URL, append(options, more...)...)
	if err != nil {
		return nil, fault.Wrap(err, "cannot reach "+s.URL, s.hint(err))
	}
	return nc, nil
}

// inboxMark separates the name of a connection from its inbox.
const inboxMark = " at "

// newInbox returns a subject with 128 random bits, which cannot be guessed.
func newInbox() string {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic("queue: the operating system has no randomness: " + err.Error())
	}
	return "_INBOX." + hex.EncodeToString(random[:])
}

// InboxOf returns the inbox of a connection with this name. ok reports whether the name holds an inbox that
// cannot be guessed.
func InboxOf(name string) (inbox string, ok bool) {
	_, inbox, _ = strings.Cut(name, inboxMark)
	random, ok := strings.CutPrefix(inbox, "_INBOX.")
	text, err := hex.DecodeString(random)
	return inbox, ok && err == nil && len(text) == 16
}

// hint returns advice for a server that could not be reached.
func (s Server) hint(err error) string {
	var remote *net.OpError
	switch {
	case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired):
		return "give the credentials that this server knows, with --nats-creds or --nats-secret"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "give the certificate that vouches for it with --nats-ca"
	case errors.As(err, &remote) && remote.Op == "remote error", errors.Is(err, nats.ErrTLS): // the server refused the certificate
		return "give a certificate that this server takes, and its key, with --nats-cert and --nats-key"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "this server has no TLS: leave out tls://, --nats-ca and --nats-cert where it is trusted with secrets all the same"
	}
	const up = "see whether the server is up and its address is right, such as nats://10.0.0.1:4222"
	if s.CA != "" || strings.Contains(s.URL, "tls://") { // a server may close the connection before it sends the reason
		return up + ", and takes the certificate of --nats-cert, if it wants one"
	}
	return up
}

// identity returns the options with the credentials.
func (s Server) identity() (options []nats.Option, err error) {
	if s.Creds != "" {
		text, err := regular.Read(s.Creds, mostSecret)
		if err == nil {
			_, err = nkeys.ParseDecoratedUserNKey(text)
		}
		if err != nil {
			return nil, fault.Wrap(err, "cannot read the credentials", "give the .creds file of a NATS user with --nats-creds")
		}
		options = append(options, nats.UserCredentials(s.Creds))
	}
	if s.Secret != "" {
		text, err := regular.Read(s.Secret, mostSecret)
		secret := strings.TrimSpace(string(text))
		if err == nil && secret == "" {
			err = errors.New("it is empty")
		}
		if err != nil {
			return nil, fault.Wrap(err, "cannot read the secret", "give a file with a token, or with user:password")
		}
		if user, password, both := strings.Cut(secret, ":"); both {
			options = append(options, nats.UserInfo(user, password))
		} else {
			options = append(options, nats.Token(secret))
		}
	}
	if s.CA != "" {
		text, err := regular.Read(s.CA, 16<<20)
		if err == nil && !x509.NewCertPool().AppendCertsFromPEM(text) {
			err = errors.New(s.CA + " holds none")
		}
		if err != nil {
			return nil, fault.Wrap(err, "cannot read the certificates", "give a PEM file with --nats-ca")
		}
		options = append(options, nats.RootCAs(s.CA))
	}
	if (s.Cert == "") != (s.Key == "") {
		return nil, fault.New("a certificate without its key, or a key without its certificate", "give both --nats-cert and --nats-key")
	}
	if s.Cert != "" {
		if _, err := tls.LoadX509KeyPair(s.Cert, s.Key); err != nil {
			return nil, fault.Wrap(err, "cannot read the certificate", "give PEM files with --nats-cert and --nats-key")
		}
		options = append(options, nats.ClientCert(s.Cert, s.Key))
	}
	return options, nil
}
