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

// Attempts is how often a job is given out before it is set aside.
const Attempts = 3

// Limits of what is sent.
const (
	mostBody     = 256 << 10 // bytes of a job
	mostInline   = 512 << 10 // of an answer that is sent as a message; a longer one is sent as data
	mostAnswer   = 64 << 20
	mostUnheard  = 1 << 30 // of answers that nobody has fetched yet
	mostAbandon  = 7 * 24 * time.Hour
	mostInFlight = 100_000 // jobs that workers have
)

// A Program tells programs apart whose answers may differ.
type Program struct {
	Digest  string // of all that answers depend on; only equal ones work together
	Version string // for people
}

// A Work is what a run is about.
type Work struct {
	ID       string // hexadecimal; the same for a coordinator that goes on with a run
	Program  Program
	Key      [KeySize]byte // secret of the coordinator, that tickets follow from; the same for one that goes on with a run
	Lease    time.Duration // a worker that gives no sign of life for so long loses its job to another
	Replicas int           // servers that keep everything
}

// KeySize is the length of a coordinator's secret, in bytes.
const KeySize = 32

// A Run is work on its way. It is not safe for concurrent use.
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

// Open makes a run on the server, or finds what is left of it.
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

// make makes what is not there yet.
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
	// What an earlier coordinator was given and did not hear comes at once to a new reader.
	if err = r.answers.DeleteConsumer(ctx, coordinator); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	if r.heard, err = r.answers.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: coordinator, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: time.Minute, MaxAckPending: mostInFlight}); err != nil {
		return err
	}
	// The last: with it workers can begin.
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

// Names of the two that read.
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

// patience is how long a server that does not answer is waited for where nothing else can be done: another of
// its cluster takes seconds to take over.
const patience = 40 * time.Second

// retried calls do until it succeeds, or has not for so long.
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

// final reports whether asking again does not help.
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

// errRefused is about what came over the wire and is not what was asked for.
var errRefused = errors.New("refused")

func refused(format string, what ...any) error {
	return fmt.Errorf("%w: %s", errRefused, fmt.Sprintf(format, what...))
}

// host is the server without what a URL may hold besides.
func host(nc *nats.Conn) string {
	if at := nc.ConnectedAddr(); at != "" {
		return at
	}
	return "the server"
}
