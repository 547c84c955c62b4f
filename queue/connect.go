package queue

import (
	"crypto/tls"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A Server says how servers are reached.
type Server struct {
	URL       string // nats://host:port or tls://host:port, several with commas
	Creds     string // file with a user's JWT and seed
	Secret    string // file with a token, or with user:password
	CA        string // file of certificates that vouch for the servers
	Cert, Key string // files of this side's certificate
}

// mostSecret is how long a file with a secret may be.
const mostSecret = 64 << 10

// Connect reaches one of the servers, and goes over to another one whenever it is lost.
func (s Server) Connect(name string, say func(format string, what ...any)) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				say("lost the server (%v); trying again", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { say("back on %s", nc.ConnectedAddr()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) { // everything else says so where it is called
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
		return nil, fault.Wrap(err, "cannot reach "+s.URL, connectHint(err))
	}
	return nc, nil
}

func connectHint(err error) string {
	switch {
	case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired):
		return "give the credentials that this server knows, with --nats-creds or --nats-secret"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "give the certificate that vouches for it with --nats-ca"
	}
	return "see whether the server is up and its address is right, such as nats://10.0.0.1:4222"
}

// identity are the options that say who this is.
func (s Server) identity() (options []nats.Option, err error) {
	if s.Creds != "" {
		if _, err := regular.Read(s.Creds, mostSecret); err != nil {
			return nil, fault.Wrap(err, "cannot read the credentials", "give the .creds file of a NATS user")
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
		if _, err := regular.Read(s.CA, 16<<20); err != nil {
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
