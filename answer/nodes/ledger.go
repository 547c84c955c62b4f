package nodes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// ledgerAt returns the file of the ledger at path, or in the folder path.
func ledgerAt(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, federation.LedgerFile)
	}
	return path
}

// A BackedUp holds the file of a backup and the head of its ledger.
type BackedUp struct {
	File     string `json:"file"`
	Entries  int64  `json:"entries"`
	Releases int64  `json:"releases"`
	Hash     string `json:"hash"`
}

// BackUpLedger writes a verified copy of a ledger to a new file, or into a folder.
func BackUpLedger(from, to string) (BackedUp, error) {
	to = ledgerAt(to)
	head, err := ledger.Backup(ledgerAt(from), to)
	return BackedUp{to, head.Entries, head.Releases, fmt.Sprintf("%x", head.Hash)}, err
}

// Print writes the file of the copy and its head.
func (b BackedUp) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s is a whole copy: %d entries, %d releases, head %.16s\n", b.File, b.Entries, b.Releases, b.Hash)
	return err
}

// withLedger opens the ledger at path, or in the folder path.
func withLedger(path string, do func(*ledger.Ledger) error) error {
	l, err := ledger.Open(ledgerAt(path))
	if err != nil {
		return err
	}
	return errors.Join(do(l), l.Close())
}

// A verified holds the owner and the head of a ledger that passed verification.
type verified struct {
	Federation string `json:"federation"`
	Node       string `json:"node"`
	Spec       string `json:"spec"`
	Entries    int64  `json:"entries"`
	Releases   int64  `json:"releases"`
	Hash       string `json:"hash"`
}

func describeLedger(l *ledger.Ledger) verified {
	owner, head := l.Federation(), l.Head()
	return verified{owner.Name, owner.Node, fmt.Sprintf("%x", owner.Spec), head.Entries, head.Releases, fmt.Sprintf("%x", head.Hash)}
}

// Print writes the owner and the head of the ledger.
func (v verified) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "the ledger of %s in %q is whole: %d entries, %d releases, head %.16s\n", v.Node, v.Federation, v.Entries,
		v.Releases, v.Hash)
	return err
}

// A compared holds the ledgers of one run and the messages between each pair of them.
type compared struct {
	Ledgers   []verified `json:"ledgers"`
	Crossings []crossing `json:"crossings"`
}

// A crossing is a ledger.Crossing as JSON.
type crossing struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Released int    `json:"released"`
	Received int    `json:"received"`
	Unknown  int    `json:"unknown"` // received, but in no release of the sender's ledger
}

// Print writes a line for every pair.
func (c compared) Print(w io.Writer) error {
	for _, l := range c.Ledgers {
		if err := l.Print(w); err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "from\tto\treleased\treceived\tnot received\tunknown to sender")
	for _, x := range c.Crossings {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\n", x.From, x.To, x.Released, x.Received, x.Released-x.Received, x.Unknown)
	}
	return t.Flush()
}

// CompareLedgers verifies ledgers of one run and compares each with the messages that the others received from it. It returns an
// error if a ledger holds a received message that its sender's ledger does not.
func CompareLedgers(ask form.Asker, paths []string) error {
	var said compared
	var open []*ledger.Ledger
	defer func() {
		for _, l := range open {
			_ = l.Close()
		}
	}()
	for k, path := range paths {
		if slices.Contains(paths[:k], path) {
			return fault.New(fmt.Sprintf("%s is given twice", path), "give the ledger of each participant once")
		}
		l, err := ledger.Open(ledgerAt(path))
		if err != nil {
			return err
		}
		open = append(open, l)
		if err := l.Verify(); err != nil {
			return err
		}
		said.Ledgers = append(said.Ledgers, describeLedger(l))
	}
	crossings, err := ledger.Compare(open...)
	if err != nil {
		return err
	}
	var wrong error
	for _, c := range crossings {
		said.Crossings = append(said.Crossings, crossing{c.From, c.To, c.Released, c.Received, len(c.Unknown)})
		if len(c.Unknown) > 0 && wrong == nil {
			first := c.Unknown[0]
			wrong = fault.New(fmt.Sprintf("the ledger of %s holds %d values of %s that the ledger of %s does not, the first of turn %d", c.To, len(c.Unknown), c.From, c.From, first.Turn),
				"one of the two was written anew: ask both for a backup from before, and hold the ends (entries and hash) in their signed statements against it")
		}
	}
	if err := ask.Show(said); err != nil {
		return err
	}
	return wrong
}

// releaseRow is a release as JSON.
type releaseRow struct {
	Seq         int64       `json:"seq"`
	Entry       int64       `json:"entry"`
	Time        time.Time   `json:"time"`
	Epoch       uint64      `json:"epoch"`
	Lane        step.Lane   `json:"lane"`
	Turn        step.Turn   `json:"turn"`
	From        step.NodeID `json:"from"`
	To          step.NodeID `json:"to"`
	Contributed bool        `json:"contributed"`
	Sensitivity float64     `json:"sensitivity"`
	NoiseStd    float64     `json:"noise_std"`
	Body        string      `json:"body_sha256"`
}

func rowOf(r ledger.Row) releaseRow {
	return releaseRow{
		r.Seq, r.Entry, r.Time, r.Epoch, r.Lane, r.Turn, r.From, r.To, r.Contributed, r.Sensitivity, r.NoiseStd, fmt.Sprintf("%x", r.Body),
	}
}

func showLedger(ask form.Asker, l *ledger.Ledger) error {
	if ask.JSON {
		return showLedgerJSON(ask.Stdout, l)
	}
	t := tabwriter.NewWriter(ask.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "#\ttime\tepoch\tlane\tturn\tto\tdata\tnoise over sensitivity")
	for r, err := range l.Show() {
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n",
			r.Seq, r.Time.Format("2006-01-02 15:04:05.000"), r.Epoch, r.Lane, r.Turn, r.To, either(r.Contributed, "used", "-"), multiplier(r))
	}
	return t.Flush()
}

// multiplier writes the noise multiplier of a release. It writes "-" if the release has sensitivity 0, and so no noise of its own.
func multiplier(r ledger.Row) string {
	if r.Sensitivity == 0 {
		return "-"
	}
	return fmt.Sprintf("%.6g", r.Multiplier())
}

// showLedgerJSON streams one array.
func showLedgerJSON(w io.Writer, l *ledger.Ledger) error {
	separator := "["
	for r, err := range l.Show() {
		if err != nil {
			return err
		}
		line, err := json.Marshal(rowOf(r))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n  %s", separator, line)
		separator = ","
	}
	if separator == "[" {
		fmt.Fprint(w, separator)
	}
	_, err := fmt.Fprintln(w, "\n]")
	return err
}

// ShowLedgerOf lists the releases of a ledger.
func ShowLedgerOf(ask form.Asker, path string) error {
	return withLedger(path, func(l *ledger.Ledger) error { return showLedger(ask, l) })
}
