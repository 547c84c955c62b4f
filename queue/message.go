package queue

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Job is a part of a computation.
type Job struct {
	Kind  string `json:"kind"`  // selects the worker's handler
	Setup Hash   `json:"setup"` // hash of data that many jobs share
	Body  []byte `json:"body"`
}

// given is a job as it is sent.
type given struct {
	Job
	Ticket ticket `json:"ticket"`
}

// An outcome is the way in which a job ended.
type outcome string

const (
	done     outcome = "done"
	failed   outcome = "failed"   // the handler reports that the job cannot be done
	died     outcome = "died"     // it was given out too often
	returned outcome = "returned" // its worker was told to stop
)

// Headers of an answer.
const (
	outcomeHeader = "Hearsay-Outcome"
	programHeader = "Hearsay-Program"
	dataHeader    = "Hearsay-Data"   // hash of an answer that is sent as data
	workerHeader  = "Hearsay-Worker" // name that the worker gives itself
	sealHeader    = "Hearsay-Seal"   // see ticket.seal
)

// A failure is the reason why a job cannot be done.
type failure struct {
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty"`
}

func newFailure(err error) []byte {
	text, err := json.Marshal(failure{clean(err.Error()), clean(fault.Hint(err))})
	if err != nil {
		panic("queue: " + err.Error()) // two texts
	}
	return text
}

// readFailure decodes the error that a worker sent.
func readFailure(text []byte) error {
	var f failure
	if json.Unmarshal(text, &f) != nil || f.Error == "" {
		f = failure{Error: "its worker failed and did not say why"}
	}
	return fault.New(clean(f.Error), clean(f.Hint))
}

// clean returns text from the wire as one line of bounded length, without control characters or
// bidirectional marks.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return ' '
		}
		return r
	}, text)
	if len(text) > 2000 {
		text = strings.ToValidUTF8(text[:2000], "") + "..."
	}
	return text
}

// message encodes an answer as a message. A text longer than mostInline is stored as data, and the
// message holds its hash.
func message(ctx context.Context, s store, program, subject string, o outcome, text []byte) (*nats.Msg, error) {
	m := nats.NewMsg(subject)
	m.Header.Set(outcomeHeader, string(o))
	m.Header.Set(programHeader, program)
	if len(text) <= mostInline {
		m.Data = text
		return m, nil
	}
	h, err := s.Put(ctx, text)
	m.Header.Set(dataHeader, string(h))
	return m, err
}
