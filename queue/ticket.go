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

// A ticket is a secret of one job. Only who has taken the job knows it, and an answer without it is nobody's.
type ticket []byte

// An issued job is one with its ticket and the name that it goes by on the server. Both follow from the key of the
// run and from what the job is, so that a coordinator that comes back knows the answers to its jobs, and to no others.
type issued struct {
	name string
	text []byte // as it is sent
	ticket
}

// issue makes names and tickets of the jobs that are not nil. Equal jobs are told apart by how many came before.
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

// seal returns what only who has the ticket can say of an answer: HMAC-SHA256 of its outcome, its program, its worker, the hash of
// its data, a line each, and its text.
func (t ticket) seal(h nats.Header, text []byte) string {
	about := ""
	for _, name := range []string{outcomeHeader, programHeader, workerHeader, dataHeader} {
		about += h.Get(name) + "\n"
	}
	return hex.EncodeToString(derive(t, "answer", about+string(text)))
}

// sealed reports whether an answer comes from who has the ticket.
func (t ticket) sealed(h nats.Header, text []byte) bool {
	return hmac.Equal([]byte(h.Get(sealHeader)), []byte(t.seal(h, text)))
}
