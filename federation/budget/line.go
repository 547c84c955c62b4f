package budget

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A State is how far the run of a line is.
type State string

// The states of a line. The losses of the first two are those of the plan, of the others what was used.
const (
	Signed State = "signed" // and not begun
	Begun  State = "begun"  // there is a ledger
	Ended  State = "ended"  // the run is over, or its participant has left it, and what was not used was given back
	Closed State = "closed" // given up by its owner: no node goes on with it
)

// A Line is a federation that was signed, or the run of one.
type Line struct {
	Federation  string       `json:"federation"`
	Participant string       `json:"participant"`
	Spec        string       `json:"spec"` // hash, in hexadecimal
	Signed      time.Time    `json:"signed"`
	DataSet     string       `json:"data_set,omitempty"` // by its owner's name for it
	Table       string       `json:"table,omitempty"`    // fingerprint, in hexadecimal
	Unit        privacy.Unit `json:"unit"`
	Ledger      string       `json:"ledger,omitempty"` // id, in hexadecimal
	State       State        `json:"state"`
	Allowed     int          `json:"allowed"` // uses of the data
	Used        int          `json:"used"`    // by the ledger, of a run that is over
	One         Loss         `json:"one"`     // towards the participant that learns most, while nobody deviates
	All         Loss         `json:"all"`     // towards everybody together, whatever they do
}

// Over reports whether the line says what was used.
func (l *Line) Over() bool { return l.State == Ended || l.State == Closed }

// Limits of a book, so that a hostile file costs no more than it should.
const (
	mostBytes = 32 << 20
	mostLines = 10_000
	mostName  = 256
)

// parse reads lines that Book.write wrote, and refuses everything else.
func parse(text []byte) (lines []Line, err error) {
	if len(text) > mostBytes {
		return nil, fmt.Errorf("it has %d bytes, and a book has %d at most", len(text), mostBytes)
	}
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	if err := read.Decode(&lines); err != nil {
		return nil, err
	}
	if _, err := read.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows its lines")
	}
	if len(lines) > mostLines {
		return nil, fmt.Errorf("it has %d lines, and a book has %d at most", len(lines), mostLines)
	}
	for i := range lines {
		if err := lines[i].check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return lines, nil
}

// check refuses a line that cannot be.
func (l *Line) check() error {
	switch {
	case l.Federation == "" || max(len(l.Federation), len(l.Participant), len(l.DataSet)) > mostName:
		return fmt.Errorf("a name is missing, or has more than %d bytes", mostName)
	case !isHex(l.Spec, 32) || l.Table != "" && !isHex(l.Table, 32) || l.Ledger != "" && !isHex(l.Ledger, 16):
		return errors.New("a hash is none")
	case l.Unit != privacy.Participant && l.Unit != privacy.Record:
		return fmt.Errorf("unit %.20q is not known", l.Unit)
	case l.State != Signed && l.State != Begun && l.State != Ended && l.State != Closed:
		return fmt.Errorf("state %.20q is not known", l.State)
	case (l.State == Begun || l.State == Ended) && l.Ledger == "" || l.State == Signed && l.Ledger != "":
		return fmt.Errorf("it is %s, and its ledger is %q", l.State, l.Ledger)
	case l.Allowed < 0 || l.Used < 0:
		return errors.New("a number of uses is negative")
	}
	return errors.Join(l.One.check(), l.All.check())
}

func isHex(text string, length int) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == length
}

// check refuses numbers that are no loss.
func (l *Loss) check() error {
	if l.Moments != nil && len(l.Moments) != orders {
		return fmt.Errorf("%d moments, want %d", len(l.Moments), orders)
	}
	for _, x := range append([]float64{l.MuSquared, l.Failure, l.Epsilon, l.Delta}, l.Moments...) {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%g is no loss", x)
		}
	}
	return nil
}

// name is how messages call the run of a line.
func (l *Line) name() string {
	return fmt.Sprintf("%q of %s", l.Federation, l.Signed.Format(time.DateOnly))
}

// errSwapped refuses a table that the book knows by another name.
func (l *Line) errSwapped(other *Line) error {
	return fault.New(fmt.Sprintf("this table is the one of data set %q, by which %s was charged, and --dataset says %q", other.DataSet, other.name(), l.DataSet),
		fmt.Sprintf("say --dataset %s: what is learnt from the same rows adds up", other.DataSet))
}
