package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/federation"
)

// A listener is a test that takes note of errors instead of failing.
type listener struct {
	testing.TB
	errors []string
}

func (l *listener) Helper() {}

func (l *listener) Errorf(format string, values ...any) {
	l.errors = append(l.errors, fmt.Sprintf(format, values...))
}

func (l *listener) Error(values ...any) { l.Errorf("%s", fmt.Sprint(values...)) }

func (l *listener) Fatalf(format string, values ...any) {
	l.Errorf(format, values...)
	panic(l)
}

func (l *listener) Fatal(values ...any) { l.Fatalf("%s", fmt.Sprint(values...)) }

// What is checked after each run is noticed where it does not hold.
func TestChecksNotice(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, small)
	w.ends(w.startAll()...)
	w.check()
	w.names[2] = "n01" // whose ledger then stands for two
	w.noticed("a turn taken twice", "was taken by", w.tookTurns)
	w.noticed("a missing turn", "are in no ledger", w.tookTurns)
	w.names[2] = "n02"
	report := filepath.Join(w.folder(3), federation.ReportFile)
	w.harmed(filepath.Join(w.folder(2), federation.LedgerFile), "n02", "n03", "ledger of n02", w.verify)
	w.harmed(report, `"age": `, `"age": 0.5, "x": `, "ended with", w.sameModel)
	w.harmed(report, `"contributed": `, `"contributed": 99`, "are allowed", w.spent)
	w.harmed(report, `"participant"`, ``, "report of", w.spent)
}

// Mass that is lost is noticed.
func TestChecksNoticeMass(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, smallGossip)
	w.ends(w.startAll()...)
	w.check()
	w.harmed(filepath.Join(w.folder(3), federation.ReportFile), `"age": `, `"age": 0.5, "x": `, "values' sum", w.keptMass)
}

// harmed holds that a check notices another text in a file.
func (w *world) harmed(file, old, new, want string, check func()) {
	before, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(before), old) {
		w.t.Fatalf("%s: no %q in it: %v", file, old, err)
	}
	w.write(file, strings.Replace(string(before), old, new, 1))
	w.noticed("another "+old, want, check)
	w.write(file, string(before))
}

// noticed holds that a check complains with a text.
func (w *world) noticed(name, want string, check func()) {
	l := &listener{TB: w.t}
	w.t = l
	func() {
		defer func() {
			if p := recover(); p != nil && p != l {
				panic(p)
			}
		}()
		check()
	}()
	w.t = l.TB
	if !strings.Contains(strings.Join(l.errors, "\n"), want) {
		w.t.Errorf("%s: noticed only %q", name, l.errors)
	}
}
