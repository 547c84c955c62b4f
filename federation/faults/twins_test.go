package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// elsewhere starts node i with the same key from another folder, listening on
// another port, as a second machine would.
func (w *world) elsewhere(i int, folder string) *process {
	own := w.listen[i]
	defer func() { w.listen[i] = own }()
	w.listen[i] = "/ip4/127.0.0.1/tcp/0"
	return w.startAs(i, w.spec, folder)
}

// backup is a folder on another machine, with a copy of a ledger in use.
func (w *world) backup(i int) (folder string) {
	w.t.Helper()
	folder = w.file(i, "-elsewhere")
	if err := os.Mkdir(folder, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if text, err := exec.Command(program, "ledger", "backup", w.folder(i), filepath.Join(folder, federation.LedgerFile)).CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, text)
	}
	joined, err := os.ReadFile(filepath.Join(w.folder(i), "joined.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(filepath.Join(folder, "joined.json"), string(joined))
	return folder
}

// releases is how many values a ledger that nobody uses holds.
func releases(t *testing.T, folder string) int64 {
	t.Helper()
	l, err := ledger.Open(filepath.Join(folder, federation.LedgerFile))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Verify(); err != nil {
		t.Error(err)
	}
	return l.Head().Releases
}

// began waits until so many processes of node i have begun.
func (w *world) began(i, starts int) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s has been started %d times", w.names[i], starts), func() bool { return strings.Count(w.log(i), "node started") >= starts })
}

// forgot wants a process to have stopped because of what its ledger does not hold.
// Whoever told it may not have had its link up yet, and then logs nothing.
func (w *world) forgot(p *process) {
	w.t.Helper()
	<-p.ended
	if p.err == nil || !strings.Contains(w.log(p.i), "has forgotten what it released") {
		w.t.Fatalf("%s elsewhere ended with %v: %s", p.name, p.err, tail(w.log(p.i), 3))
	}
}

// A second machine with the key and a copy of the ledger, started while the first
// runs, releases nothing and stops; the first goes on, and the token is one.
func TestSecondMachineWhileTheFirstRuns(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 3, steps: 4000, options: "unreachable: wait", priced: true})
	all := w.startAll()
	const twice = 2
	w.reaches(0, 300)
	folder := w.backup(twice)
	before := releases(t, folder)
	w.reaches(0, w.furthestOfAll()+100) // the first has told of more than the copy holds
	var second *process
	all[1].freeze(t, func() { // the run does not end while a slow machine starts the second one
		second = w.elsewhere(twice, folder)
		w.began(twice, 2)
	})
	w.forgot(second)
	if after := releases(t, folder); after != before {
		t.Errorf("the second machine let out %d values", after-before)
	}
	w.ends(all...)
	w.check()
}

// Of two machines that are started at once from copies of one ledger at most one
// releases anything, whoever is heard first by whom.
func TestTwoMachinesFromOneLedger(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 3, steps: 4000, options: "unreachable: wait"})
	all := w.startAll()
	const twice = 2
	w.reaches(0, 300)
	all[twice].term()
	<-all[twice].ended
	folder := w.backup(twice)
	before := releases(t, folder)
	var pair []*process
	all[1].freeze(t, func() { // the run does not end before both have begun
		pair = []*process{w.start(twice), w.elsewhere(twice, folder)}
		w.began(twice, 3)
	})
	var left *process
	select { // one is refused by whoever heard the other first
	case <-pair[0].ended:
		w.forgot(pair[0])
		left = pair[1]
	case <-pair[1].ended:
		w.forgot(pair[1])
		left = pair[0]
	}
	w.until("the other has gone on, or has been refused too", func() bool {
		select {
		case <-left.ended:
			return true
		case <-all[0].ended:
			return true
		default:
			return false
		}
	})
	left.term()
	<-left.ended
	forks := 0
	for _, dir := range []string{w.folder(twice), folder} {
		if releases(t, dir) > before {
			forks++
		}
	}
	if forks > 1 {
		t.Error("both machines went on: the token has forked")
	}
	if left.err == nil {
		w.ends(all[:twice]...)
	}
}
