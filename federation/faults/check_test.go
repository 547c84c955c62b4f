package faults

import (
	"os/exec"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// memoryBound is what a node may use at most, in bytes: about 40 MB when nobody
// is hostile, of which most are the program itself, 16 MiB and 4 MiB a neighbour
// that libp2p may reserve for windows, and some for handshakes.
const memoryBound = 100 << 20

// check holds a run that has ended against what must be true of every run.
func (w *world) check() {
	w.t.Helper()
	for _, p := range w.all {
		w.peak = max(w.peak, p.peak.Load())
	}
	if w.peak > memoryBound {
		w.t.Errorf("a node used %d MB, the bound is %d MB", w.peak>>20, memoryBound>>20)
	}
	w.verify()
	w.tookTurns()
	w.onTheWire()
	w.spent()
	switch {
	case w.gossip:
		w.keptMass()
	case !w.apart:
		w.sameModel()
	}
	w.t.Logf("most memory of a node: %d MB", w.peak>>20)
}

// verify has the program check every ledger. A node that was killed, and never started again, has no statement beside it.
func (w *world) verify() {
	for i := range w.names {
		if text, err := exec.Command(program, "ledger", "verify", filepath.Join(w.folder(i), federation.LedgerFile)).CombinedOutput(); err != nil {
			w.t.Errorf("ledger of %s: %v: %s", w.names[i], err, text)
		}
	}
}

// rows are all releases of a ledger.
func (w *world) rows(i int) (rows []ledger.Row) {
	l, err := ledger.Open(filepath.Join(w.folder(i), federation.LedgerFile))
	if err != nil {
		w.t.Fatal(err)
	}
	defer l.Close()
	for row, err := range l.Show() {
		if err != nil {
			w.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// tookTurns holds that no turn of an epoch was taken twice, and with waiting no
// turn at all; and that none is missing. A turn is taken by one entry of one
// ledger; bytes that the same ledger holds already are the same taking.
func (w *world) tookTurns() {
	type taking struct {
		node  int
		entry int64
	}
	type at struct {
		epoch uint64
		lane  step.Lane
		turn  step.Turn
	}
	type value struct {
		lane step.Lane
		turn step.Turn
		body ledger.Digest
	}
	taken := map[at]map[taking]bool{}
	for i := range w.names {
		entries := map[value]int64{}
		for _, r := range w.rows(i) {
			v, k := value{r.Lane, r.Turn, r.Body}, at{r.Epoch, r.Lane, r.Turn}
			first, known := entries[v]
			if r.Turn >= step.Turn(w.turns()) || known && first != r.Entry && r.Body != (ledger.Digest{}) {
				continue
			}
			entries[v] = r.Entry
			if !w.succeeds() {
				k.epoch = 0
			}
			if w.gossip || w.apart || w.sums {
				k.epoch = uint64(i) // everybody takes all turns
			}
			if taken[k] == nil {
				taken[k] = map[taking]bool{}
			}
			taken[k][taking{i, r.Entry}] = true
		}
	}
	missing := map[at]bool{}
	for lane := range max(1, w.tokens) {
		for turn := range step.Turn(w.turns()) {
			missing[at{lane: step.Lane(lane), turn: turn}] = true
		}
	}
	for k, by := range taken {
		delete(missing, at{lane: k.lane, turn: k.turn})
		// the epoch of an entry counts those of all tokens, which nodes need not have heard of alike
		if len(by) != 1 && !(w.succeeds() && w.tokens > 1) {
			w.t.Errorf("turn %d of token %d and epoch %d was taken by %v", k.turn, k.lane, k.epoch, by)
		}
	}
	if len(missing) > 0 {
		w.t.Errorf("%d of %d turns are in no ledger", len(missing), w.turns()*max(1, w.tokens))
	}
}

// turns is how many turns the run has.
func (w *world) turns() int { return int(w.report(0).Status.Turns) }

// onTheWire holds that whatever was received is in its sender's ledger, hash for hash.
func (w *world) onTheWire() {
	var all []*ledger.Ledger
	for i := range w.names {
		l, err := ledger.Open(filepath.Join(w.folder(i), federation.LedgerFile))
		if err != nil {
			w.t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l)
	}
	crossings, err := ledger.Compare(all...)
	if err != nil {
		w.t.Fatal(err)
	}
	received := 0
	for _, c := range crossings {
		for _, m := range c.Unknown {
			w.t.Errorf("%s received a message of kind %d and turn %d from %s, whose ledger does not hold it", c.To, m.Kind, m.Turn, c.From)
		}
		received += c.Received
	}
	if received == 0 {
		w.t.Error("no ledger holds a received message")
	}
}
