package queue

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hearsay-dp/hearsay/fault"
)

// Names on the server. A run has four streams.
const (
	jobsPrefix    = "hearsay-jobs-"
	answersPrefix = "hearsay-answers-"
	dataPrefix    = "hearsay-data-"
	longPrefix    = "hearsay-long-" // answers that are too long for a message
	anyJob        = "hearsay.*.job.*"

	programKey = "hearsay-program" // metadata of the stream of jobs
	versionKey = "hearsay-version"
)

// Attempts is the number of deliveries of a job before it is set aside.
const Attempts = 3

// Limits on messages and streams.
const (
	mostBody     = 256 << 10 // bytes of a job
	mostInline   = 512 << 10 // of an answer sent as a message; longer answers are sent as data
	mostAnswer   = 64 << 20
	mostUnheard  = 1 << 30 // of answers that have not been fetched yet
	mostAbandon  = 7 * 24 * time.Hour
	mostInFlight = 100_000 // jobs that workers have
)

// A Program identifies programs whose answers may differ.
type Program struct {
	Digest  string // of everything that answers depend on; only equal ones work together
	Version string // for humans
}

// A Work describes a run.
type Work struct {
	ID       string // hexadecimal; equal for a coordinator that resumes the run
	Program  Program
	Key      [KeySize]byte // secret of the coordinator, from which tickets are derived; equal for one that resumes the run
	Lease    time.Duration // a worker without a sign of life for this long loses its job to another
	Replicas int           // number of servers that keep everything
}

// KeySize is the length of a coordinator's secret, in bytes.
const KeySize = 32

// A Run is a computation in progress. It is not safe for concurrent use.
type Run struct {
	Work
	js      jetstream.JetStream
	jobs    jetstream.Stream
	taking  jetstream.Consumer
	answers jetstream.Stream
	heard   jetstream.Consumer
	store
	long store
}

// Open creates a run on the server, or opens the rest of an earlier one.
func Open(ctx context.Context, nc *nats.Conn, w Work) (*Run, error) {
	if _, err := hex.DecodeString(w.ID); err != nil || w.ID == "" {
		panic("queue: a run is named by hexadecimal digits")
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(256))
	if err != nil {
		return nil, err
	}
	r := &Run{Work: w, js: js}
	err = retried(ctx, patience, r.make)
	if err != nil {
		return nil, fault.Wrap(err, "cannot make a queue on "+host(nc), openHint(err))
	}
	return r, nil
}

func openHint(err error) string {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return "start that server with JetStream (nats-server -js), with sync_interval: always"
	}
	return "see whether JetStream is up there, these credentials may make streams, and as many servers are up as --nats-replicas says"
}

// make creates the streams and consumers that do not exist yet.
func (r *Run) make(ctx context.Context) (err error) {
	keep := func(name, subject string) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name + r.ID, Subjects: []string{subject}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: r.Replicas,
			Discard: jetstream.DiscardNew, MaxAge: mostAbandon, MaxMsgSize: mostInline + 4096,
			Metadata: map[string]string{programKey: r.Program.Digest, versionKey: r.Program.Version},
		}
	}
	jobs := keep(jobsPrefix, r.jobSubject("*"))
	jobs.MaxMsgsPerSubject, jobs.DiscardNewPerSubject = 1, true
	if r.jobs, err = r.js.CreateOrUpdateStream(ctx, jobs); err != nil {
		return err
	}
	answers := keep(answersPrefix, r.answerSubject("*"))
	answers.MaxBytes = mostUnheard
	if r.answers, err = r.js.CreateOrUpdateStream(ctx, answers); err != nil {
		return err
	}
	if r.store, err = r.makeStore(ctx, keep(dataPrefix, "hearsay."+r.ID+".data.*.*"), dataSubjects(r.ID)); err != nil {
		return err
	}
	if r.long, err = r.makeStore(ctx, keep(longPrefix, "hearsay."+r.ID+".long.*.*"), longSubjects(r.ID)); err != nil {
		return err
	}
	// A new reader receives at once the answers that an earlier coordinator got and did not process.
	if err = r.answers.DeleteConsumer(ctx, coordinator); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	if r.heard, err = r.answers.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: coordinator, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: time.Minute, MaxAckPending: mostInFlight}); err != nil {
		return err
	}
	// This consumer is created last, because workers can begin once it exists.
	r.taking, err = r.jobs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.Lease,
		MaxDeliver: -1, MaxAckPending: mostInFlight})
	return err
}

func (r *Run) makeStore(ctx context.Context, config jetstream.StreamConfig, prefix string) (store, error) {
	config.Retention, config.MaxMsgsPerSubject, config.DiscardNewPerSubject, config.MaxMsgSize = jetstream.LimitsPolicy, 1, true, piece+4096
	config.AllowDirect = true // so that a server can let workers read these streams and not that of jobs
	stream, err := r.js.CreateOrUpdateStream(ctx, config)
	return store{r.js, stream, prefix}, err
}

func dataSubjects(id string) string { return "hearsay." + id + ".data." }
func longSubjects(id string) string { return "hearsay." + id + ".long." }

// Names of the two consumers.
const (
	coordinator = "coordinator"
	workers     = "workers"
)

func (r *Run) jobSubject(number string) string    { return "hearsay." + r.ID + ".job." + number }
func (r *Run) answerSubject(number string) string { return answerSubject(r.ID, number) }

func answerSubject(id, number string) string { return "hearsay." + id + ".answer." + number }

// Close removes the run from the server.
func (r *Run) Close(ctx context.Context) error {
	var failed []error
	for _, prefix := range []string{jobsPrefix, answersPrefix, longPrefix, dataPrefix} {
		if err := r.js.DeleteStream(ctx, prefix+r.ID); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// patience is the time to wait for a server that does not answer if there is no alternative. A cluster needs
// seconds to replace a server.
const patience = 40 * time.Second

// retried calls do until it succeeds or most has passed.
func retried(ctx context.Context, most time.Duration, do func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		once, end := context.WithTimeout(ctx, 10*time.Second)
		err := do(once)
		end()
		if err == nil || final(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// final reports whether a retry cannot help.
func final(err error) bool {
	var said *jetstream.APIError
	if errors.As(err, &said) {
		switch said.ErrorCode {
		case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount, jetstream.JSErrCodeStreamNotFound,
			jetstream.JSErrCodeConsumerNotFound, jetstream.JSErrCodeStreamNameInUse, jetstream.JSErrCodeMessageNotFound:
			return true
		}
		return strings.Contains(said.Description, "replicas > 1 not supported")
	}
	for _, e := range []error{errRefused, context.Canceled} {
		if errors.Is(err, e) {
			return true
		}
	}
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrPermissionViolation)
}

// errRefused marks malformed input from the wire.
var errRefused = errors.New("refused")

func refused(format string, what ...any) error {
	return fmt.Errorf("%w: %s", errRefused, fmt.Sprintf(format, what...))
}

// host returns the address of the server without the secrets that a URL may hold.
func host(nc *nats.Conn) string {
	if at := nc.ConnectedAddr(); at != "" {
		return at
	}
	return "the server"
}
