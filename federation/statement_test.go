package federation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// A value that is sent to several, or sent on in a later epoch because who had it
// fell silent, is one use of the data; a turn that is taken anew in a later epoch
// is another.
func TestContributionsAreCountedOnce(t *testing.T) {
	s := newStage(t, quick)
	f := open(t, s.spec, "lyon")
	l, err := ledger.Create(filepath.Join(t.TempDir(), LedgerFile), ledger.Federation{Name: "test", Spec: f.Hash, Node: "lyon", ID: f.Self})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, b, none := ledger.Digest{1}, ledger.Digest{2}, ledger.Digest{}
	for _, e := range []struct {
		epoch  uint64
		turn   step.Turn
		to     step.NodeID
		body   ledger.Digest
		counts int // so far
	}{
		{0, 5, 1, a, 1}, {0, 5, 2, a, 1}, {3, 5, 2, a, 1}, {6, 5, 1, b, 2}, {6, 7, f.Self, none, 3}, {6, 8, f.Self, none, 4}, {6, 8, 1, b, 4},
	} {
		release := step.Release{From: f.Self, To: e.to, Turn: e.turn, Contributed: true, Sensitivity: 1, NoiseStd: f.Noise.Nominal}
		if err := l.Commit(ledger.Entry{Time: time.Unix(0, 0), Epoch: e.epoch, Releases: []ledger.Release{{Release: release, Body: e.body}}}); err != nil {
			t.Fatal(err)
		}
		if got, err := f.contributed(l); err != nil || got != e.counts {
			t.Errorf("after turn %d of epoch %d to %d: %d contributions, want %d (%v)", e.turn, e.epoch, e.to, got, e.counts, err)
		}
	}
}

// More contributions than the plan allows are shown, charged in full towards
// everybody, and an error for a node that would go on.
func TestAnOverrunIsAnAlarm(t *testing.T) {
	s := newStage(t, quick)
	f := open(t, s.spec, "lyon")
	p := plan(t, f)
	dir := t.TempDir()
	l, err := ledger.Create(filepath.Join(dir, LedgerFile), ledger.Federation{Name: "test", Spec: f.Hash, Node: "lyon", ID: f.Self})
	if err != nil {
		t.Fatal(err)
	}
	for turn := range step.Turn(p.Contributions + 5) {
		release := step.Release{From: f.Self, To: 1, Turn: turn, Contributed: true, Sensitivity: 1, NoiseStd: f.Noise.Nominal}
		body := ledger.Digest{1: byte(turn), 2: byte(turn >> 8), 3: 1}
		if err := l.Commit(ledger.Entry{Time: time.Unix(0, 0), Releases: []ledger.Release{{Release: release, Body: body}}}); err != nil {
			t.Fatal(err)
		}
		stated, err := f.Statement(p, l, true)
		if err != nil {
			t.Fatal(err)
		}
		over := stated.Contributed > p.Contributions
		if over != (stated.Alarm != "") || over != (f.sound(l) != nil) || stated.Contributed != int(turn)+1 {
			t.Fatalf("%d contributions of %d: alarm %q", stated.Contributed, p.Contributions, stated.Alarm)
		}
		var text strings.Builder
		if err := stated.Print(&text); err != nil || over != strings.Contains(text.String(), "ALARM") {
			t.Fatalf("%v: %s", err, text.String())
		}
		for _, spent := range stated.Spent {
			if over && (spent.Epsilon != stated.SpentLocal || !(spent.Epsilon > p.Local)) {
				t.Fatalf("%d contributions of %d: %+v, local %g", stated.Contributed, p.Contributions, spent, p.Local)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o := s.options("lyon")
	o.Dir = dir
	if _, err := f.Join(context.Background(), o); err == nil || !strings.Contains(err.Error(), "at most 30 are allowed") {
		t.Errorf("a node went on from an overrun: %v", err)
	}
}

// A ledger with an edited row gives no statement, and no node starts from it.
func TestAnEditedLedgerIsNotUsed(t *testing.T) {
	s := newStage(t, quick)
	f := open(t, s.spec, "lyon")
	p := plan(t, f)
	dir := t.TempDir()
	path := filepath.Join(dir, LedgerFile)
	l, err := ledger.Create(path, ledger.Federation{Name: "test", Spec: f.Hash, Node: "lyon", ID: f.Self})
	if err != nil {
		t.Fatal(err)
	}
	for turn := range step.Turn(20) {
		release := step.Release{From: f.Self, To: 1, Turn: turn, Contributed: true, Sensitivity: 1, NoiseStd: f.Noise.Nominal}
		if err := l.Commit(ledger.Entry{Time: time.Unix(0, 0), Releases: []ledger.Release{{Release: release,
			Body: ledger.Digest{1: byte(turn), 3: 1}}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Exec("UPDATE release SET contributed = 0 WHERE seq BETWEEN 5 AND 9"), db.Close()); err != nil {
		t.Fatal(err)
	}
	if l, err = ledger.Open(path); err != nil {
		t.Fatal(err)
	}
	if stated, err := f.Statement(p, l, true); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("%+v, %v", stated, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o := s.options("lyon")
	o.Dir = dir
	if _, err := f.Join(context.Background(), o); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("a node went on from an edited ledger: %v", err)
	}
}

// signedWithItsLedger holds the statement in a folder against its node's key and ledger, and edits it in many ways.
func (s *stage) signedWithItsLedger(o *Outcome) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.Folder, StatementFile))
	if err != nil {
		s.t.Fatal(err)
	}
	f := open(s.t, s.spec, o.Name)
	said, err := ReadStatement(text, f.Spec, f.Hash)
	if err != nil {
		s.t.Fatal(err)
	}
	book, err := ledger.Open(filepath.Join(o.Folder, LedgerFile))
	if err != nil {
		s.t.Fatal(err)
	}
	defer book.Close()
	if facts := said.Attested; facts.Ledger != endOf(book.Head()) || facts.Contributed != said.Contributed || !facts.Ended || facts.Participant != o.Name || facts.Joined.IsZero() {
		s.t.Errorf("%s: %+v, and its ledger ends at %+v", o.Name, facts, endOf(book.Head()))
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		key, value, found := strings.Cut(line, ": ")
		if !found || strings.ContainsAny(value, "{[") {
			continue
		}
		for _, other := range []string{"1.5", `"x"`, "true", "null"} {
			edited := strings.Replace(string(text), line, key+": "+other+strings.Repeat(",", strings.Count(line[len(line)-1:], ",")), 1)
			if _, err := ReadStatement([]byte(edited), f.Spec, f.Hash); err == nil && edited != string(text) {
				s.t.Fatalf("%s: %s for %s passes", o.Name, other, line)
			}
		}
		if _, err := ReadStatement([]byte(strings.Replace(string(text), line+"\n", "", 1)), f.Spec, f.Hash); err == nil {
			s.t.Fatalf("%s: without %s it passes", o.Name, line)
		}
	}
	if _, err := ReadStatement([]byte(strings.Replace(string(text), "{", `{"more": 1,`, 1)), f.Spec, f.Hash); err == nil {
		s.t.Errorf("%s: with another key it passes", o.Name)
	}
}
