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

// A State is the progress of a line's run.
type State string

// The states of a line. The losses of Signed and Begun are those of the plan, the losses of Ended and
// Closed are those used.
const (
	Signed State = "signed" // signed, and not begun
	Begun  State = "begun"  // the run has a ledger
	Ended  State = "ended"  // the run is over, or its participant has left it, and the unused part was given back
	Closed State = "closed" // given up by its owner: no node continues it
)

// A Line holds the charge of a federation that was signed, or of its run.
type Line struct {
	Federation  string         `json:"federation"`
	Participant string         `json:"participant"`
	Spec        string         `json:"spec"` // hash, in hexadecimal
	Signed      time.Time      `json:"signed"`
	DataSet     string         `json:"data_set,omitempty"` // the owner's name for it
	Table       string         `json:"table,omitempty"`    // fingerprint, in hexadecimal
	Unit        privacy.Unit   `json:"unit"`
	Status      privacy.Status `json:"status"`           // of the losses: Sound or SoundIf, since nothing else is accepted
	Ledger      string         `json:"ledger,omitempty"` // id, in hexadecimal
	State       State          `json:"state"`
	Model       bool           `json:"model,omitempty"` // the losses also hold if everybody sees the final model
	Allowed     int            `json:"allowed"`         // uses of the data by the plan
	Used        int            `json:"used"`            // uses of the data by the ledger, if the run is over
	One         Loss           `json:"one"`             // towards the participant that learns most, if nobody deviates
	All         Loss           `json:"all"`             // towards everybody together, whatever they do
}

// Over reports whether the losses of the line are those used.
func (l *Line) Over() bool { return l.State == Ended || l.State == Closed }

// Limits of a book. They bound the cost of reading a hostile file.
const (
	mostBytes = 32 << 20
	mostLines = 10_000
	mostName  = 256
)

// parse decodes lines that Book.write wrote, and returns an error for any other text.
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

// check returns an error if a field of the line is invalid.
func (l *Line) check() error {
	switch {
	case l.Federation == "" || max(len(l.Federation), len(l.Participant), len(l.DataSet)) > mostName:
		return fmt.Errorf("a name is missing, or has more than %d bytes", mostName)
	case !isHex(l.Spec, 32) || l.Table != "" && !isHex(l.Table, 32) || l.Ledger != "" && !isHex(l.Ledger, 16):
		return errors.New("a hash is none")
	case l.Unit != privacy.Participant && l.Unit != privacy.Record:
		return fmt.Errorf("unit %.20q is not known", l.Unit)
	case l.Status != privacy.Sound && l.Status != privacy.SoundIf:
		return fmt.Errorf("status %.20q is not sound", l.Status)
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

// check returns an error if a number is negative, NaN or infinite, or the number of moments is
// wrong.
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

// Name returns the name of the line's run in messages.
func (l *Line) Name() string {
	return fmt.Sprintf("%q of %s", l.Federation, l.Signed.Format(time.DateOnly))
}

// errSwapped returns the error for a table that the book knows under another data set.
func (l *Line) errSwapped(other *Line) error {
	return fault.New(fmt.Sprintf("this table is the one of data set %q, by which %s was charged, and --dataset says %q", other.DataSet, other.Name(), l.DataSet),
		fmt.Sprintf("say --dataset %s: what is learnt from the same rows adds up", other.DataSet))
}
