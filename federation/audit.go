package federation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
)

// An Audit holds the totals of a folder's ledger, after a comparison with the files beside it.
type Audit struct {
	Contributed  int            `json:"contributed"`
	Planned      int            `json:"planned"`
	Spent        float64        `json:"spent_local_epsilon"` // towards everybody together
	Status       privacy.Status `json:"status"`              // of the loss
	Protected    string         `json:"protected"`           // in words: a record, or all data of the participant
	Delta        float64        `json:"delta"`
	Ended        bool           `json:"ended"`    // according to the statement that the node signed
	Left         *Left          `json:"left"`     // nil: the participant has not left
	Followed     bool           `json:"followed"` // no more contributions, and no less noise, than planned
	Fingerprints []string       `json:"tables"`
	Compared     []string       `json:"compared"` // files that agree with the ledger
}

// Print writes the audit as text.
func (a *Audit) Print(w io.Writer) error {
	fmt.Fprintf(w, "It contributed %d times of %d planned, with the planned noise: epsilon %s (%s) towards all others together at delta %g, about %s.\n", a.Contributed, a.Planned, digits(a.Spent), a.Status, a.Delta, a.Protected)
	fmt.Fprintf(w, "The run %s, as its node has signed.\n", map[bool]string{true: "has ended", false: "had not ended"}[a.Ended])
	if a.Left != nil {
		a.Left.Print(w, a.Status, a.Delta)
	}
	printTables(w, a.Fingerprints)
	_, err := fmt.Fprintf(w, "The same is said by %s.\n", strings.Join(a.Compared, ", "))
	return err
}

const changed = "one of the two was changed, or is of another run or time: start the node again with the same --dir, which writes them anew from its ledger, and hold other copies against it"

// Audit compares the ledger of a folder with the plan of its spec, and its statement and model with the ledger. The
// first difference is an error.
func (f *Federation) Audit(ctx context.Context, dir string) (*Audit, error) {
	if err := f.checkFolder(dir); err != nil {
		return nil, err
	}
	book, err := ledger.Open(filepath.Join(dir, LedgerFile))
	if err != nil {
		return nil, err
	}
	a, err := f.audit(ctx, dir, book)
	return a, errors.Join(err, book.Close())
}

func (f *Federation) audit(ctx context.Context, dir string, book *ledger.Ledger) (*Audit, error) {
	if owner := book.Federation(); owner.Spec != f.Hash || owner.ID != f.Self || owner.Node != f.Name() {
		return nil, fault.New(fmt.Sprintf("the ledger is of %q in the run of spec %x, and the spec beside it is %x with %s", owner.Node, owner.Spec[:4], f.Hash[:4], f.Name()), changed)
	}
	path := filepath.Join(dir, StatementFile)
	signed, unsigned := f.signedStatement(path)
	said, text, err := f.reported(ctx, book, unsigned == nil && signed.Attested.Ended)
	if err != nil {
		return nil, err
	}
	if said.Alarm != "" {
		return nil, fault.New("the plan was not followed: "+said.Alarm, "count what the ledger holds: it is what was spent")
	}
	a := &Audit{Contributed: said.Contributed, Planned: said.Contributions, Spent: said.SpentLocal, Status: said.Status, Protected: said.About(), Delta: said.Delta, Left: said.Left, Followed: true, Fingerprints: said.Tables, Compared: []string{specFile}}
	if unsigned != nil {
		return nil, unsigned
	}
	if err := signed.Attested.Holds(f, book); err != nil {
		return nil, fault.Wrap(err, path, fault.Hint(err))
	}
	if end := endOf(book.Head()); signed.Attested.Ledger != end {
		return nil, fault.New(fmt.Sprintf("%s is of entry %d, and the ledger goes on to entry %d", path, signed.Attested.Ledger.Entries, end.Entries), changed)
	}
	if other := differing(text, signed.plainly()); other != "" {
		return nil, fault.New(fmt.Sprintf("%s says something else than the ledger and the spec, of %s", path, other), changed)
	}
	a.Ended = signed.Attested.Ended
	a.Compared = append(a.Compared, StatementFile)
	if err := a.model(dir, signed.Attested); err != nil {
		return nil, err
	}
	return a, nil
}

// signedStatement reads the statement at path, as this participant's node signed it.
func (f *Federation) signedStatement(path string) (*Statement, error) {
	beside, err := regular.Read(path, regular.MostFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(path+" is not there", "start and stop the node once with the same --dir: it writes and signs its statement when it stops")
	}
	if err != nil {
		return nil, err
	}
	signed, err := ReadStatement(beside, f.Spec, f.Hash)
	if err != nil {
		return nil, fault.Wrap(err, path, fault.Hint(err))
	}
	return signed, nil
}

// reported computes the statement that follows from a ledger, and from whether the run has ended. The bytes are the statement as
// JSON, as plainly returns it.
func (f *Federation) reported(ctx context.Context, book *ledger.Ledger, ended bool) (*Statement, []byte, error) {
	own, err := policy.Parse(book.Federation().Policy, "the policy in the ledger")
	if err != nil {
		return nil, nil, err
	}
	plan, err := f.Plan(ctx, own.Sizes()...)
	if err != nil {
		return nil, nil, err
	}
	said, err := f.Statement(plan, book, ended)
	if err != nil {
		return nil, nil, err
	}
	return said, said.plainly(), f.silentSinceItLeft(book)
}

// plainly returns the statement as JSON without the fields that no ledger determines.
func (s *Statement) plainly() []byte {
	plain := *s
	plain.Attested, plain.Signature, plain.Limited, plain.Others = nil, nil, nil, nil
	return encoded(plain)
}

// differing returns the first field name, in alphabetical order, whose values differ between two
// JSON objects. It returns "" if none differs, and "all" if one is no JSON object.
func differing(a, b []byte) string {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return "all"
	}
	var names []string
	for name, value := range x {
		if !bytes.Equal(value, y[name]) {
			names = append(names, name)
		}
	}
	for name := range y {
		if x[name] == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

// silentSinceItLeft returns an error if the ledger holds a contribution after the participant has
// left.
func (f *Federation) silentSinceItLeft(book *ledger.Ledger) error {
	since, err := book.Left()
	if err != nil || since == 0 {
		return err
	}
	u := f.newUses()
	before := 0
	for row, err := range book.Show() {
		if err != nil {
			return err
		}
		if row.Entry < since {
			u.add(row.Epoch, row.Release)
			before = u.count()
		} else if u.add(row.Epoch, row.Release); u.count() > before {
			return fault.New(fmt.Sprintf("entry %d is a contribution of turn %d, and %s had left with entry %d", row.Entry, row.Turn, f.Name(), since), "count it as spent, and report it: a node that has left refuses to contribute")
		}
	}
	return nil
}

// model compares the digest of the model in dir with the digest that the node signed.
func (a *Audit) model(dir string, facts *Attested) error {
	path := filepath.Join(dir, ModelFile)
	text, err := regular.Read(path, regular.MostFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && facts.Model == "":
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || facts.Model != modelDigest(text):
		return fault.New(fmt.Sprintf("%s is not the model that %s has signed, whose SHA-256 is %.16q", path, facts.Participant, facts.Model), changed)
	}
	a.Compared = append(a.Compared, ModelFile)
	return nil
}

func modelDigest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Holds returns an error if the facts that a participant signed contradict its ledger. The ledger may
// have grown since.
func (a *Attested) Holds(f *Federation, book *ledger.Ledger) error {
	owner := book.Federation()
	if owner.Node != a.Participant || fmt.Sprintf("%x", owner.Spec) != a.Spec {
		return fault.New(fmt.Sprintf("it is about %s in the run of spec %.8s, and the ledger is of %q in that of %x", a.Participant, a.Spec, owner.Node, owner.Spec[:4]), changed)
	}
	if err := book.Verify(); err != nil {
		return err
	}
	hash, err := hex.DecodeString(a.Ledger.Hash)
	if err != nil || len(hash) != len(ledger.Digest{}) || book.Holds(ledger.Mark{Ledger: owner.Ledger, Entries: a.Ledger.Entries, Hash: ledger.Digest(hash)}) != nil {
		return fault.New(fmt.Sprintf("the ledger does not hold entry %d with hash %.16s, at which what %s has signed ends", a.Ledger.Entries, a.Ledger.Hash, a.Participant),
			"the ledger is another one, an older copy, or was written anew since: hold the ledgers of its neighbours against it with hearsay ledger compare")
	}
	u, releases := f.newUses(), int64(0)
	for row, err := range book.Show() {
		if err != nil {
			return err
		}
		if row.Entry <= a.Ledger.Entries {
			u.add(row.Epoch, row.Release)
			releases++
		}
	}
	if u.count() != a.Contributed || u.lates() != a.Late || releases != a.Releases {
		return fault.New(fmt.Sprintf("it says %d contributions, %d of them late, in %d releases, and the ledger holds %d, %d late, in %d", a.Contributed, a.Late, a.Releases, u.count(), u.lates(), releases), changed)
	}
	return nil
}
