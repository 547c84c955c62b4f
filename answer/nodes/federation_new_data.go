package nodes

import (
	"fmt"
	"io"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/tables"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation/assembly"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/spec"
)

// named returns the set of columns that the flags name.
func (t *TermsQuestion) named() map[string]bool {
	all := map[string]bool{t.Target: true, t.Person: true}
	for _, flags := range [][]string{t.Ranges, t.Categories} {
		of, _ := tables.ColumnValues(flags) // settings reports malformed flags
		for column := range of {
			all[column] = true
		}
	}
	return all
}

// offer returns the columns of the table that no flag names, as flags to be filled in from public knowledge. It contains no value
// of the table.
func (t *TermsQuestion) offer() (string, error) {
	kinds, err := dataset.ColumnKinds(t.Data, t.Table)
	if err != nil {
		return "", err
	}
	var flags, others []string
	for _, c := range kinds {
		if t.named()[c.Name] {
			continue
		}
		switch c.Kind {
		case "numbers":
			flags = append(flags, "--range "+textfile.Quoted(c.Name)+"=LOW:HIGH")
		case "text":
			flags = append(flags, "--categories "+textfile.Quoted(c.Name)+"=A,B")
		case "":
			others = append(others, c.Name+" (no values)")
		default:
			others = append(others, fmt.Sprintf("%s (%s)", c.Name, c.Kind))
		}
	}
	text := strings.Join(flags, " ")
	if len(others) > 0 {
		text += "; " + strings.Join(others, ", ") + " cannot be learnt from as they are"
	}
	return text, nil
}

// incomplete returns the error of terms that lack columns. Its hint lists the columns of the table, if one is given.
func (t *TermsQuestion) incomplete(err error) error {
	hint := "say what to predict from what: --target, --classes, --range and --categories, or --from a spec"
	if t.Data != "" {
		offered, bad := t.offer()
		if bad != nil {
			return bad
		}
		hint = "say by what is known in public what to predict (--target, --classes), and from which columns of " + t.Data + " (of whose rows they are: --person): " + offered
	}
	return fault.Wrap(err, "the terms are not complete", hint)
}

// try reads the table by the terms and writes the notes that a participant with this table would get. It returns an error if the
// table does not fit.
func (t *TermsQuestion) try(w io.Writer, draft *spec.Spec) error {
	shard, err := assembly.Try(draft, t.Data, t.Table)
	if err != nil {
		return inTerms(err)
	}
	fmt.Fprintf(w, "%s can take part: %d %ss, read as the terms say; nothing of them is in the terms\n", t.Data, shard.Records(), draft.RecordWord())
	for _, l := range shard.Limited {
		fmt.Fprintf(w, "values of column %s out of its range, which would be moved to its end: %d\n", l.Column, l.Values)
	}
	if len(shard.Ignored) > 0 {
		fmt.Fprintf(w, "columns that the terms do not name, and nobody learns from: %s\n", strings.Join(shard.Ignored, ", "))
	}
	return nil
}

// inTerms returns the error of a table that does not fit the terms, with a hint for the author of the terms.
func inTerms(err error) error {
	hint := fault.Hint(err)
	rest, is := strings.CutPrefix(hint, "write under data: ")
	switch {
	case is && strings.Contains(rest, "participant's own file"):
		return fault.New(err.Error(), rest)
	case is:
		return fault.New(err.Error(), "who invites says so in the terms, with flags of hearsay federation new such as --set data.missing=drop, and begins anew: "+rest)
	}
	return err
}
