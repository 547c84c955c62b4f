package faults

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/federation"
)

// refusedToGoOn starts node i, which must stop because its ledger has forgotten
// what it released, and wants it and the neighbour that knew to log it. Its last
// words may be lost, where a machine has too much to do: then its operator tries
// again.
func (w *world) refusedToGoOn(i int) {
	w.t.Helper()
	refusals := func() int { return strings.Count(w.log(0)+w.log(1), "neighbour is refused") }
	before, stated := refusals(), w.stated(i)
	defer func() {
		if now := w.stated(i); now != stated {
			w.t.Errorf("%s has forgotten what it released, and states %s; before %s", w.names[i], now, stated)
		}
	}()
	for range 5 {
		p := w.start(i)
		<-p.ended
		if p.err == nil || !strings.Contains(w.log(i), "has forgotten what it released") {
			w.t.Fatalf("%s ended with %v: %s", p.name, p.err, tail(w.log(i), 3))
		}
		for limit := time.Now().Add(patience / 10); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
			if refusals() > before {
				return
			}
		}
	}
	w.t.Fatalf("no neighbour of %s said in 5 starts that it is refused", w.names[i])
}

// stated is the statement in the folder of node i, "" if there is none.
func (w *world) stated(i int) string {
	text, err := os.ReadFile(filepath.Join(w.folder(i), federation.StatementFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(text)
}

// A node whose folder is lost, or whose ledger is an old copy, is refused by its
// neighbours, also after these were started again, and stops. With the ledger that
// ends last it goes on, and the run ends as it should.
func TestForgottenLedger(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 3, steps: 6000})
	all := w.startAll()
	const last = 2
	stopped := func(turn int) []byte {
		w.reaches(0, turn)
		all[last].term()
		<-all[last].ended
		file, err := os.ReadFile(filepath.Join(w.folder(last), federation.LedgerFile))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	put := func(file []byte) {
		for _, name := range []string{"ledger.db", "ledger.db-wal", "ledger.db-head"} {
			if err := os.Remove(filepath.Join(w.folder(last), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		if file != nil {
			w.write(filepath.Join(w.folder(last), federation.LedgerFile), string(file))
		}
	}
	old := stopped(200)
	all[last] = w.start(last)
	newest := stopped(600)
	put(old)
	w.refusedToGoOn(last)
	put(nil)
	w.refusedToGoOn(last)
	for _, i := range []int{0, 1} {
		all[i].kill()
		<-all[i].ended
	}
	alone := w.start(last) // nobody is there who knows better, and the folder does
	<-alone.ended
	if alone.err == nil || !strings.Contains(tail(w.log(last), 3), "a neighbour has shown a later entry of it") {
		t.Errorf("alone it ended with %v: %s", alone.err, tail(w.log(last), 3))
	}
	for _, i := range []int{0, 1} {
		all[i] = w.start(i)
	}
	put(nil)
	w.refusedToGoOn(last)
	put(newest)
	all[last] = w.start(last)
	w.ends(all...)
	w.check()
}
