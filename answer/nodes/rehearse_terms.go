package nodes

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/spec"
)

// termsAt returns the terms at path: a folder in which a federation is assembled, its file of terms or of messages, or a text
// with an invitation. If there is a spec instead, terms is nil and file is the spec. Policies lie beside file.
func (q *RehearseQuestion) termsAt(path string) (terms *assembly.Terms, file string, err error) {
	info, err := os.Stat(path)
	folder := path
	switch base := filepath.Base(path); {
	case err != nil:
		return nil, path, nil // whoever reads it says so
	case info.IsDir():
	case base == assembly.TermsFile || base == assembly.TextFile:
		folder = filepath.Dir(path)
	default:
		folder = ""
	}
	if folder != "" {
		if f, err := assembly.OpenFolder(folder); err == nil {
			file = filepath.Join(folder, assembly.SpecFile)
			if _, err := os.Stat(file); err == nil {
				return nil, file, nil
			}
			terms, err := f.Terms(q.Participants)
			return terms, file, err
		} else if info.IsDir() {
			return nil, path, err
		}
	}
	text, err := regular.Read(path, assembly.MostText)
	if err != nil || !assembly.HoldsInvitation(text) {
		return nil, path, nil
	}
	g, err := assembly.Read(text)
	if err != nil {
		return nil, path, err
	}
	return g.Terms(), path, nil
}

// usualRecords is the assumed number of records of a participant that has announced none.
const usualRecords = 100

// spec returns the spec to rehearse and the file beside which policies lie. From terms it makes the spec with the numbers of
// rows in the given files. Participants that neither gave a file nor accepted are assumed to have o.Rows rows, or an equal
// share of the pool, or usualRecords.
func (q *RehearseQuestion) spec(ask form.Asker, path string) (*spec.Spec, string, error) {
	terms, path, err := q.termsAt(path)
	if err != nil {
		return nil, path, err
	}
	if terms == nil {
		s, err := form.LoadSpec(ask.Context, path, q.Set...)
		return s, path, err
	}
	rows, o := map[string]int{}, &q.Options
	usual := cmp.Or(o.Rows, usualRecords)
	for name, file := range o.Files {
		if rows[name], err = terms.Rows(file, q.Table); err != nil {
			return nil, path, err
		}
	}
	if o.Pool != "" && o.Rows == 0 {
		all, err := terms.Rows(o.Pool, q.Table)
		if err != nil {
			return nil, path, err
		}
		if usual = all / len(terms.Names); usual == 0 {
			return nil, path, fault.New(fmt.Sprintf("%s: %d %ss for %d participants", o.Pool, all, terms.RecordWord(), len(terms.Names)), "give a file with more rows")
		}
	}
	said := fmt.Sprintf("%d of %d participants have accepted", len(terms.Accepted), len(terms.Names))
	if terms.Records() {
		said += fmt.Sprintf("; who has neither accepted nor a file here is taken to have %d %ss", usual, terms.RecordWord())
	}
	fmt.Fprintln(ask.Stderr, said)
	s, err := terms.Suppose(rows, usual, q.Set...)
	return s, path, err
}
