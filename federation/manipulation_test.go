package federation

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// A tamperer is a run that is over, and what somebody does to a copy of a folder of it. Its graph is a line, on which no two nodes end
// with the same model.
type tamperer struct {
	*stage
	f   *Federation
	own identity.Key
}

const audited = `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: 6, step_size: 0.1, clip: 0.2}
privacy: {sigma: 3}
federation: {linger: 30s}
`

// audit is what `hearsay ledger verify` does with a folder.
func (m *tamperer) audit(dir string) error {
	name, err := ParticipantOf(dir)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, specFile))
	if err != nil {
		m.t.Fatal(err)
	}
	_, err = open(m.t, parse(m.t, string(text)), name).Audit(context.Background(), dir)
	return err
}

// compared is what `hearsay ledger compare` finds between a folder and those of the two others.
func (m *tamperer) compared(dir string) (unknown int) {
	var books []*ledger.Ledger
	for _, path := range []string{dir, filepath.Join(m.dir, "nice"), filepath.Join(m.dir, "paris")} {
		book, err := ledger.Open(filepath.Join(path, LedgerFile))
		if err != nil {
			m.t.Fatal(err)
		}
		defer book.Close()
		if err := book.Verify(); err != nil {
			m.t.Fatal(err)
		}
		books = append(books, book)
	}
	crossings, err := ledger.Compare(books...)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, c := range crossings {
		unknown += len(c.Unknown)
	}
	return unknown
}

// sql changes the database of a ledger.
func sql(statements ...string) func(*tamperer, string) {
	return func(m *tamperer, dir string) {
		db, err := sqlite3.Open(filepath.Join(dir, LedgerFile))
		if err == nil {
			err = db.Exec(strings.Join(statements, ";"))
		}
		if err != nil {
			m.t.Fatalf("%s: %v", statements, err)
		}
		if err := db.Close(); err != nil {
			m.t.Fatal(err)
		}
	}
}

// text replaces the first of some text in a file.
func text(file, old, new string) func(*tamperer, string) {
	return func(m *tamperer, dir string) {
		path := filepath.Join(dir, file)
		had, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(had), old) {
			m.t.Fatalf("%s has no %q: %v", file, old, err)
		}
		m.write(path, []byte(strings.Replace(string(had), old, new, 1)))
	}
}

// from takes files of another folder.
func from(other string, files ...string) func(*tamperer, string) {
	return func(m *tamperer, dir string) {
		for _, file := range files {
			had, err := os.ReadFile(filepath.Join(m.dir, other, file))
			if err != nil {
				m.t.Fatal(err)
			}
			m.write(filepath.Join(dir, file), had)
		}
	}
}

func (m *tamperer) write(path string, text []byte) {
	if err := os.WriteFile(path, text, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// resigned changes a statement and signs it with a key.
func resigned(with func(*tamperer) identity.Key, change func(*Statement)) func(*tamperer, string) {
	return func(m *tamperer, dir string) {
		path := filepath.Join(dir, StatementFile)
		had, err := os.ReadFile(path)
		var s Statement
		if err == nil {
			err = json.Unmarshal(had, &s)
		}
		if err == nil {
			change(&s)
			err = s.attest(with(m), s.Attested.Facts)
		}
		if err == nil {
			err = writeJSON(path, &s)
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
}

func own(m *tamperer) identity.Key     { return m.own }
func another(m *tamperer) identity.Key { return keyOf(m.t, "nice") }
func contributedOnce(s *Statement)     { s.Contributed, s.Attested.Contributed = 1, 1 }
func spentLittle(s *Statement)         { s.SpentLocal = 0.1 }
func endsEarlier(s *Statement)         { s.Attested.Ledger.Entries-- }
func another1(s *Statement)            { s.Attested.Participant = "nice" }
func allowedMore(s *Statement)         { s.Contributions = 100 }
func otherTable(s *Statement)          { s.Tables = []string{"00"} }
func neverLeft(s *Statement)           { s.Left = &Left{Turn: 1}; s.Attested.Left = s.Left }
func otherModel(s *Statement)          { s.Attested.Model = "00" }
func manyReleases(s *Statement)        { s.Releases, s.Attested.Releases = 2, 2 }
func nothing(*Statement)               {}

// anew is what an owner alone can do: a whole ledger in which half of the contributions are none, and a statement of it.
func anew(m *tamperer, dir string) {
	path := filepath.Join(dir, LedgerFile)
	old, err := ledger.Open(path)
	if err != nil {
		m.t.Fatal(err)
	}
	fresh, err := ledger.Create(path+"-anew", old.Federation())
	if err != nil {
		m.t.Fatal(err)
	}
	for row, err := range old.Show() {
		if err != nil {
			m.t.Fatal(err)
		}
		if row.Turn < 3 {
			row.Contributed, row.Body = false, ledger.Digest{byte(row.Seq)}
		}
		if err := fresh.Commit(ledger.Entry{Time: row.Time, Epoch: row.Epoch, Releases: []ledger.Release{row.Release}}); err != nil {
			m.t.Fatal(err)
		}
	}
	plan, err := m.f.Plan(context.Background())
	if err != nil {
		m.t.Fatal(err)
	}
	s, err := m.f.Statement(plan, fresh, true)
	if err != nil {
		m.t.Fatal(err)
	}
	had, err := os.ReadFile(filepath.Join(dir, StatementFile))
	var signed Statement
	if err != nil || json.Unmarshal(had, &signed) != nil {
		m.t.Fatal(err)
	}
	facts := signed.Attested.Facts
	facts.Contributed, facts.Releases, facts.Tables, facts.Ledger = s.Contributed, s.Releases, s.Tables, endOf(fresh.Head())
	if err := s.attest(m.own, facts); err != nil {
		m.t.Fatal(err)
	}
	if err := writeJSON(filepath.Join(dir, StatementFile), s); err != nil {
		m.t.Fatal(err)
	}
	for _, l := range []*ledger.Ledger{old, fresh} {
		if err := l.Close(); err != nil {
			m.t.Fatal(err)
		}
	}
	for _, end := range []string{"", "-head"} {
		if err := os.Rename(path+"-anew"+end, path+end); err != nil {
			m.t.Fatal(err)
		}
	}
}

// Whatever is done to a ledger, or to the spec, the statement or the model beside it, `hearsay ledger verify` finds; what an owner alone
// can do, an older copy of all of it or a chain written anew and signed, `hearsay ledger compare` finds in the ledgers of its neighbours.
func TestManipulationsAreFound(t *testing.T) {
	t.Parallel()
	m := &tamperer{stage: newStageOf(t, []string{"lyon", "nice", "paris"}, "line:3", audited)}
	m.f, m.own = open(t, m.spec, "lyon"), keyOf(t, "lyon")
	m.begins(m.f, m.options("lyon"))
	older := filepath.Join(m.dir, "older")
	if err := os.CopyFS(older, os.DirFS(filepath.Join(m.dir, "lyon"))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m.all(ctx)
	lyon := filepath.Join(m.dir, "lyon")
	if err := m.audit(lyon); err != nil || m.compared(lyon) != 0 {
		t.Fatalf("as it was: %v, %d unknown", err, m.compared(lyon))
	}
	for what, do := range map[string]func(*tamperer, string){"its database was opened": sql(`SELECT 1`), "its owner signed it again": resigned(own, nothing)} {
		dir := filepath.Join(m.dir, "copy")
		m.copied(lyon, dir)
		do(m, dir)
		if err := m.audit(dir); err != nil {
			t.Errorf("%s, and nothing else: %v", what, err)
		}
	}
	all := []string{LedgerFile, LedgerFile + "-head", StatementFile}
	for _, c := range []struct {
		what string
		do   func(*tamperer, string)
	}{
		{"the last entry is cut", sql(`DELETE FROM release WHERE entry = (SELECT max(seq) FROM entry)`, `DELETE FROM received WHERE entry = (SELECT max(seq) FROM entry)`, `DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)`)},
		{"a release is left out", sql(`DELETE FROM release WHERE seq = 3`)},
		{"an entry is left out", sql(`DELETE FROM entry WHERE seq = 4`)},
		{"a turn is another", sql(`UPDATE release SET turn = 77 WHERE seq = 3`)},
		{"a contribution is none", sql(`UPDATE release SET contributed = 0 WHERE seq = 3`)},
		{"noise is more", sql(`UPDATE release SET noise_std = 2 * noise_std WHERE seq = 3`)},
		{"a sensitivity is less", sql(`UPDATE release SET sensitivity = sensitivity / 2 WHERE seq = 3`)},
		{"a receiver is another", sql(`UPDATE release SET receiver = 7 WHERE seq = 3`)},
		{"a value is another", sql(`UPDATE release SET body = zeroblob(32) WHERE seq = 3`)},
		{"two values change places", sql(`UPDATE release SET body = (SELECT body FROM release WHERE seq = 5) WHERE seq = 3`, `UPDATE release SET body = (SELECT body FROM release WHERE seq = 4) WHERE seq = 5`)},
		{"a release is doubled", sql(`INSERT INTO release SELECT 1000, entry, epoch + 1, lane, turn, sender, receiver, contributed, sensitivity, noise_std, body, hash FROM release WHERE seq = 3`)},
		{"two entries change places", sql(`UPDATE entry SET seq = -1 WHERE seq = 4`, `UPDATE entry SET seq = 4 WHERE seq = 5`, `UPDATE entry SET seq = 5 WHERE seq = -1`)},
		{"the time of an entry is another", sql(`UPDATE entry SET time = time + 1 WHERE seq = 4`)},
		{"what was received is left out", sql(`DELETE FROM received WHERE rowid = 1`)},
		{"what was received is another", sql(`UPDATE received SET body = zeroblob(32) WHERE rowid = 1`)},
		{"the policy is another", sql(`UPDATE federation SET policy = CAST(policy || x'0a' AS BLOB)`)},
		{"the owner is another", sql(`UPDATE federation SET node = 'nice'`)},
		{"the spec's hash is another", sql(`UPDATE federation SET spec = zeroblob(32)`)},
		{"the table is another", sql(`UPDATE start SET fingerprint = zeroblob(32)`)},
		{"it has left, after the fact", sql(`UPDATE start SET leaves = 1`)},
		{"the state is another", sql(`UPDATE state SET body = CAST(body || x'00' AS BLOB)`)},
		{"a spend is added", sql(`INSERT INTO spend VALUES (3, 1, 'x', 1.0)`)},
		{"the head is gone and the end is cut", func(m *tamperer, dir string) {
			sql(`DELETE FROM ending`)(m, dir)
			if err := os.Remove(filepath.Join(dir, LedgerFile+"-head")); err != nil {
				m.t.Fatal(err)
			}
		}},
		{"an older ledger", from("older", LedgerFile, LedgerFile+"-head")},
		{"an older ledger without its head", func(m *tamperer, dir string) {
			from("older", LedgerFile)(m, dir)
			if err := os.Remove(filepath.Join(dir, LedgerFile+"-head")); err != nil {
				m.t.Fatal(err)
			}
		}},
		{"another's ledger", from("nice", LedgerFile, LedgerFile+"-head")},
		{"an older statement", from("older", StatementFile)},
		{"another's statement", from("nice", StatementFile)},
		{"another's model", from("nice", ModelFile)},
		{"the statement says fewer contributions", text(StatementFile, `"contributed": 6`, `"contributed": 5`)},
		{"the statement says less spent", text(StatementFile, `"spent_local_epsilon": `, `"spent_local_epsilon": 0`)},
		{"the statement is signed by another", resigned(another, nothing)},
		{"its owner signs fewer contributions", resigned(own, contributedOnce)},
		{"its owner signs fewer releases", resigned(own, manyReleases)},
		{"its owner signs less spent", resigned(own, spentLittle)},
		{"its owner signs an earlier end", resigned(own, endsEarlier)},
		{"its owner signs for another", resigned(own, another1)},
		{"its owner signs another plan", resigned(own, allowedMore)},
		{"its owner signs another table", resigned(own, otherTable)},
		{"its owner signs that it left", resigned(own, neverLeft)},
		{"its owner signs another model", resigned(own, otherModel)},
		{"the spec has more noise", text(specFile, "sigma: 3", "sigma: 4")},
		{"the spec has fewer rounds", text(specFile, "steps: 6", "steps: 5")},
		{"the folder is of another run", text(joinedFile, `"spec": "`, `"spec": "0`)},
		{"the model is another", text(ModelFile, `"age": `, `"age": 1`)},
		{"the model is gone", func(m *tamperer, dir string) { _ = os.Remove(filepath.Join(dir, ModelFile)) }},
		{"the statement is gone", func(m *tamperer, dir string) { _ = os.Remove(filepath.Join(dir, StatementFile)) }},
	} {
		dir := filepath.Join(m.dir, "copy")
		m.copied(lyon, dir)
		c.do(m, dir)
		if err := m.audit(dir); err == nil {
			t.Errorf("nobody finds that %s", c.what)
		}
	}
	for what, do := range map[string]func(*tamperer, string){"all of it is older": from("older", all...), "its owner wrote all of it anew": anew} {
		dir := filepath.Join(m.dir, "copy")
		m.copied(lyon, dir)
		do(m, dir)
		if err := os.Remove(filepath.Join(dir, ModelFile)); err != nil {
			t.Fatal(err)
		}
		if m.compared(dir) == 0 {
			t.Errorf("no neighbour's ledger shows that %s", what)
		}
	}
}

// copied makes a folder a copy of another.
func (m *tamperer) copied(of, dir string) {
	if err := os.RemoveAll(dir); err != nil {
		m.t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(of)); err != nil {
		m.t.Fatal(err)
	}
}
