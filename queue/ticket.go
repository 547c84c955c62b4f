package queue

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/hearsay-dp/hearsay/fault"
)

// A ticket is the secret of one job. Only a worker that has taken the job holds it. An answer without it is ignored.
type ticket []byte

// An issued job is a job with its ticket and its name on the server. Both are derived from the key of the run and the
// content of the job. So a coordinator that resumes recognises the answers to its jobs, and no others.
type issued struct {
	name string
	text []byte // as it is sent
	ticket
}

// issue creates names and tickets for the jobs that are not nil. Equal jobs are distinguished by the number of earlier
// copies.
func issue(key [KeySize]byte, jobs []*Job) (all []issued, number map[string]int, err error) {
	all, number = make([]issued, len(jobs)), map[string]int{}
	copies := map[string]int{}
	for i, j := range jobs {
		if j == nil {
			continue
		}
		text, err := json.Marshal(j)
		if err != nil {
			return nil, nil, err
		}
		about := fmt.Sprintf("%d %s", copies[string(text)], text)
		copies[string(text)]++
		one := issued{name: hex.EncodeToString(derive(key[:], "name", about)[:16]), ticket: derive(key[:], "ticket", about)}
		if one.text, err = json.Marshal(given{*j, one.ticket}); err == nil && len(one.text) > mostBody {
			err = fault.New("a job is too long to be sent", "vary fewer or shorter values")
		}
		if err != nil {
			return nil, nil, err
		}
		all[i], number[one.name] = one, i
	}
	return all, number, nil
}

// derive returns a secret for one purpose.
func derive(key []byte, purpose, about string) []byte {
	sum := hmac.New(sha256.New, key)
	fmt.Fprintf(sum, "hearsay queue, %s\n%s", purpose, about)
	return sum.Sum(nil)
}

// seal returns the proof that the sender of an answer holds the ticket. It is the HMAC-SHA256 of the outcome, the
// program, the worker, the hash of the data, a line each, and the text.
func (t ticket) seal(h nats.Header, text []byte) string {
	about := ""
	for _, name := range []string{outcomeHeader, programHeader, workerHeader, dataHeader} {
		about += h.Get(name) + "\n"
	}
	return hex.EncodeToString(derive(t, "answer", about+string(text)))
}

// sealed reports whether the sender of an answer holds the ticket.
func (t ticket) sealed(h nats.Header, text []byte) bool {
	return hmac.Equal([]byte(h.Get(sealHeader)), []byte(t.seal(h, text)))
}
