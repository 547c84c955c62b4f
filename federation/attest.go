package federation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/spec"
)

// The purposes of the signatures that a node makes when it stops.
const factsPurpose, statementPurpose = "facts of a run", "statement"

// Facts holds the facts of a run that only its node knows. Everything else in a statement of
// privacy follows from them and the spec.
type Facts struct {
	Participant string     `json:"participant"`
	Spec        string     `json:"spec_hash"`
	Joined      time.Time  `json:"first_start"`
	Sizes       []int      `json:"coalition_sizes"`  // sizes that the participant's policy limits
	Contributed int        `json:"contributed"`      // uses of the data that the ledger holds
	Late        int        `json:"late,omitempty"`   // steps whose value may have left although others went on without it
	Releases    int64      `json:"releases"`         // values sent, contributions or not
	Ended       bool       `json:"ended"`            // the participant saw the run end
	Disputed    bool       `json:"disputed"`         // another message contradicts how it ended
	Tables      []string   `json:"tables,omitempty"` // fingerprints of the tables that it learnt from, oldest first
	Left        *Left      `json:"left,omitempty"`   // nil: the participant has not left
	Model       string     `json:"model,omitempty"`  // SHA-256 of model.json, in hexadecimal
	Others      *OtherRuns `json:"other_runs"`       // on the same rows, by the budget book; nil: none is known
	Ledger      End        `json:"ledger"`
}

// An End holds the end of a ledger. Two ledgers with the same end are the same ledger.
type End struct {
	Entries int64  `json:"entries"`
	Hash    string `json:"hash"` // SHA-256 of the chain, in hexadecimal
}

func endOf(head ledger.Head) End { return End{head.Entries, fmt.Sprintf("%x", head.Hash)} }

// Attested holds facts with the signature of the participant that they describe.
type Attested struct {
	Facts
	Signature identity.Signature `json:"signature"`
}

// Check returns an error if the facts belong to another spec, or are not signed by the key that the
// spec lists for their participant. hash is that of the resolved spec s.
func (a *Attested) Check(s *spec.Spec, hash [32]byte) error {
	peer, err := listedKey(s, a.Participant)
	if err != nil {
		return err
	}
	if a.Spec != fmt.Sprintf("%x", hash) {
		return fault.New(fmt.Sprintf("what %s says of its run is about the spec with hash %.64q, and this one has %x", a.Participant, a.Spec, hash), unattested)
	}
	if !peer.Signed(factsPurpose, encoded(a.Facts), a.Signature) {
		return fault.New(fmt.Sprintf("what stands for %s is not what it has signed of its run: something was changed after it had", a.Participant), unattested)
	}
	return nil
}

const unattested = "do not rely on it; a node writes and signs its statement whenever it stops: start it again with the same --dir, and take the folder from its owner"

// Attest signs facts with the key of the participant that they describe.
func Attest(key identity.Key, facts Facts) *Attested {
	return &Attested{facts, key.Sign(factsPurpose, encoded(facts))}
}

// attest signs the facts, and then the whole statement including them.
func (s *Statement) attest(key identity.Key, facts Facts) error {
	s.Attested, s.Signature = Attest(key, facts), nil
	text, err := json.Marshal(s)
	if err != nil {
		return err // the statement has a loss without a finite bound
	}
	signature := key.Sign(statementPurpose, text)
	s.Signature = &signature
	return nil
}

// ReadStatement reads the file of a statement of a participant of the resolved spec s. It returns
// an error if anything in the file was changed after the node had signed it.
func ReadStatement(text []byte, s *spec.Spec, hash [32]byte) (*Statement, error) {
	var read Statement
	if err := json.Unmarshal(text, &read); err != nil || read.Plan == nil {
		return nil, fault.New("it is no statement of a node", "give a folder that hearsay node wrote")
	}
	if read.Attested == nil || read.Signature == nil {
		return nil, fault.New("it is not signed by its node", unattested)
	}
	var plain bytes.Buffer
	if json.Compact(&plain, text) != nil || !bytes.Equal(plain.Bytes(), encoded(read)) {
		return nil, fault.New("it is not as its node wrote it", unattested)
	}
	if err := read.Attested.Check(s, hash); err != nil {
		return nil, err
	}
	peer, err := listedKey(s, read.Attested.Participant)
	if err != nil {
		return nil, err
	}
	signature := *read.Signature
	read.Signature = nil
	if !peer.Signed(statementPurpose, encoded(read), signature) {
		return nil, fault.New(fmt.Sprintf("it is not what %s has signed: something was changed after it had", read.Attested.Participant), unattested)
	}
	read.Signature = &signature
	return &read, nil
}

// encoded returns facts, or a statement that was read, as JSON.
func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic("federation: " + err.Error()) // values that were read can be written
	}
	return text
}
