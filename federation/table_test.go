package federation

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// A fingerprint is one of the file's bytes and of the key: nobody without the key can test a guess.
func TestAFingerprintIsOfAKeyAndATable(t *testing.T) {
	a, b := t.TempDir()+"/a.csv", t.TempDir()+"/b.csv"
	for path, text := range map[string]string{a: patients(1), b: patients(2)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	of := func(name, path string) string {
		t.Helper()
		table, err := Fingerprint(keyOf(t, name), path)
		if err != nil {
			t.Fatal(err)
		}
		return string(table[:])
	}
	first := of("lyon", a)
	if again := of("lyon", a); again != first || first == of("lyon", b) || first == of("nice", a) {
		t.Error("a fingerprint does not tell tables, or keys, apart")
	}
}

// A run that began with one table does not go on with another: all ages replaced is refused, unless its owner says that
// the table has changed. The signed statement then has both.
func TestATableThatIsSwappedBetweenTwoStartsIsRefused(t *testing.T) {
	testdata.Sequential(t)
	s := newStage(t, quick)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	first := s.all(ctx)[0].Statement
	if len(first.Tables) != 1 || len(first.Tables[0]) != 64 || !slices.Equal(first.Attested.Tables, first.Tables) {
		t.Fatalf("tables %v, signed %v", first.Tables, first.Attested.Tables)
	}
	o := s.options("lyon")
	if err := os.WriteFile(o.Data, []byte(patients(77)), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, s.spec, "lyon")
	if outcome, err := f.Join(ctx, o); outcome != nil || err == nil || !strings.Contains(err.Error(), "is not the table that this run has learnt from") ||
		!strings.Contains(fault.Hint(err), "--new-table") {
		t.Fatalf("joined with another table: %v (%s)", err, fault.Hint(err))
	}
	o.NewTable = true
	brief, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	outcome, err := f.Join(brief, o)
	if outcome == nil {
		t.Fatal(err)
	}
	tables := outcome.Statement.Attested.Tables
	if len(tables) != 2 || tables[0] != first.Tables[0] || tables[1] == tables[0] {
		t.Errorf("tables %v after %v", tables, first.Tables)
	}
	var text strings.Builder
	if err := outcome.Statement.Print(&text); err != nil || !strings.Contains(text.String(), "a later start went on with another one, whose fingerprint is "+tables[1]) {
		t.Errorf("%v: %s", err, text.String())
	}
}
