package federation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// Fingerprint returns a hash of the bytes of a table's file under a secret of the participant's key (HMAC-SHA256).
// Only the owner of the key can test whether a file has this fingerprint. It is zero without a file.
func Fingerprint(key identity.Key, path string) (table ledger.Digest, err error) {
	if path == "" {
		return table, nil
	}
	file, err := regular.Open(path)
	if err != nil {
		return table, fault.Wrap(err, "cannot read the table", "give the path of this participant's file")
	}
	defer file.Close()
	secret := key.Derive("fingerprint of a table")
	h := hmac.New(sha256.New, secret[:])
	if _, err := io.Copy(h, file); err != nil {
		return table, fault.Wrap(err, "cannot read the table", "check the disk")
	}
	return ledger.Digest(h.Sum(nil)), nil
}

// checkTable returns an error if the ledger's last start had another table. NewTable allows another
// one.
func (o *Options) checkTable(book *ledger.Ledger) error {
	tables, err := book.Tables()
	if err != nil || len(tables) == 0 || o.NewTable || o.Leave != node.Remains {
		return err
	}
	last := tables[len(tables)-1]
	if last == o.From.Table || last == (ledger.Digest{}) {
		return nil
	}
	return fault.New(fmt.Sprintf("%s is not the table that this run has learnt from so far: its fingerprint is %x…, and the ledger has %x…", o.Data, o.From.Table[:4], last[:4]),
		"start it with the table that it began with; where rows were withdrawn or corrected, --new-table goes on with this one, and the statement says so")
}

// printTables writes the fingerprints of the tables that a run has learnt from.
func printTables(w io.Writer, tables []string) {
	for i, table := range tables {
		switch {
		case i == 0:
			fmt.Fprintf(w, "Table: its fingerprint, under this participant's key, is %s.\n", table)
		default:
			fmt.Fprintf(w, "Table: a later start went on with another one, whose fingerprint is %s.\n", table)
		}
	}
}

// known returns the fingerprints in hexadecimal, without the zero one that stands for no table.
func known(tables []ledger.Digest) (all []string) {
	for _, table := range tables {
		if table != (ledger.Digest{}) {
			all = append(all, hex.EncodeToString(table[:]))
		}
	}
	return all
}
