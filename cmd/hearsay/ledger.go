package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

func newLedgerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "ledger", Short: "Read what a node has released", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(&cobra.Command{
		Use:   "show FILE",
		Short: "List every value that a node has let out",
		Long: "Show lists the releases of a ledger, oldest first: when, at which turn, to whom,\n" +
			"with how much noise. FILE may be the node's folder. With --json it prints one array.",
		Args: argument("ledger"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withLedger(args[0], func(l *ledger.Ledger) error { return showLedger(cmd, l) })
		},
	}, &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that a ledger is whole and nothing in it was changed",
		Args:  argument("ledger"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answering(func() (found verified, err error) {
				err = withLedger(args[0], func(l *ledger.Ledger) error {
					found = describeLedger(l)
					return l.Verify()
				})
				return found, err
			})(cmd, args)
		},
	}, &cobra.Command{
		Use:   "backup FILE COPY",
		Short: "Copy a ledger, also one that a node is using",
		Long: "Backup writes a verified copy of a ledger to the new file COPY, or into the folder\n" +
			"COPY. The copy is one file and needs no other. A node may go on meanwhile. FILE may\n" +
			"be the node's folder. A backup is for reading, and for a disk that was lost before\n" +
			"anything else was released: an older one is refused by the node's neighbours.",
		Args: exactly(2, "a ledger and where to put its copy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answering(func() (backedUp, error) { return backUpLedger(args[0], args[1]) })(cmd, args)
		},
	})
	return cmd
}

// ledgerAt is the ledger at path, or in the folder path.
func ledgerAt(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, federation.LedgerFile)
	}
	return path
}

// backedUp is where a backup is and where it ends.
type backedUp struct {
	File     string `json:"file"`
	Entries  int64  `json:"entries"`
	Releases int64  `json:"releases"`
	Hash     string `json:"hash"`
}

func backUpLedger(from, to string) (backedUp, error) {
	to = ledgerAt(to)
	head, err := ledger.Backup(ledgerAt(from), to)
	return backedUp{to, head.Entries, head.Releases, fmt.Sprintf("%x", head.Hash)}, err
}

func (b backedUp) Print(w io.Writer) error {
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

// verified is a ledger in which nothing is amiss.
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

func (v verified) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "the ledger of %s in %q is whole: %d entries, %d releases, head %.16s\n", v.Node, v.Federation, v.Entries,
		v.Releases, v.Hash)
	return err
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

func showLedger(cmd *cobra.Command, l *ledger.Ledger) error {
	if wantJSON(cmd) {
		return showLedgerJSON(cmd.OutOrStdout(), l)
	}
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
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

// multiplier is the noise of a release, "-" where it carries none of its own.
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
