package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// role makes the test binary a process of its own: "commit PATH" commits hops
// for ever and prints each turn once its Commit has returned; "open PATH" tries
// to open.
const role = "HEARSAY_LEDGER_TEST"

func TestMain(m *testing.M) {
	job, path, _ := strings.Cut(os.Getenv(role), " ")
	switch job {
	case "commit":
		commitForEver(path)
	case "open":
		_, err := Open(path)
		fmt.Println(errors.Is(err, ErrLocked))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func commitForEver(path string) {
	l, err := Open(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for turn := step.Turn(l.Head().Entries); ; turn++ {
		if err := l.Commit(hop(turn, int(1+turn*37%9000))); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(turn)
	}
}

func process(job, path string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), role+"="+job+" "+path)
	return c
}

// killed runs a process on the ledger, kills it a while after it has reported
// so many commits, and returns the last turn whose Commit it saw return, -1 if
// none.
func killed(t *testing.T, path string, commits int, after time.Duration) (last int64) {
	t.Helper()
	c := process("commit", path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	die := func() { time.AfterFunc(after, func() { c.Process.Kill() }) }
	if commits == 0 {
		die()
	}
	last = -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if commits--; commits == 0 {
			die()
		}
		n, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			break // cut short, or a reason
		}
		last = n
	}
	c.Wait()
	if status := c.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		t.Fatalf("the process ended by itself: %v", status)
	}
	return last
}

// Killed at any moment, a process loses nothing that its Commit had promised,
// and nothing is there twice.
func TestKilledProcessesLoseNothing(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 4
	}
	l := freshIn(t, t.TempDir())
	path, random := l.path, rand.New(rand.NewPCG(1, 2))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	entries := int64(0)
	for round := range rounds {
		last := killed(t, path, round%5*3, time.Duration(random.IntN(20_000))*time.Microsecond)
		l, err := Open(path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := l.Verify(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		now := l.Head().Entries
		if now < entries || now < last+1 {
			t.Fatalf("round %d: %d entries, %d before, turn %d was promised", round, now, entries, last)
		}
		entries = now
		turn := step.Turn(0)
		for row, err := range l.Show() {
			if err != nil || row.Turn != turn {
				t.Fatalf("round %d: turn %d where turn %d belongs: %v", round, row.Turn, turn, err)
			}
			turn++
		}
		if r, err := l.Recover(); err != nil || entries > 0 && (len(r.Outbox) != 1 || r.Outbox[0].Turn != step.Turn(entries)) {
			t.Fatalf("round %d: %d entries, outbox %+v: %v", round, entries, r.Outbox, err)
		}
		l.Close()
	}
	if entries == 0 {
		t.Error("no process lived long enough to commit")
	}
}

func TestAnotherProcessIsKeptOut(t *testing.T) {
	l := fresh(t)
	out, err := process("open", l.path).Output()
	if err != nil || string(out) != "true\n" {
		t.Errorf("another process: locked is %q, %v", out, err)
	}
}

// fill commits until the disk is full, and checks what the ledger says then.
func fill(t *testing.T, l *Ledger) (committed int64) {
	t.Helper()
	for turn := step.Turn(0); ; turn++ {
		err := l.Commit(hop(turn, 3000))
		if err == nil {
			committed++
			continue
		}
		if !errors.Is(err, ErrNotDurable) || fault.Hint(err) == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("on a full disk: %q", err)
		}
		if again := l.Commit(Entry{Epoch: 7}); !errors.Is(again, ErrNotDurable) {
			t.Errorf("after a full disk the ledger takes an entry: %v", again)
		}
		return committed
	}
}

func checkFilled(t *testing.T, path string, committed int64) {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Verify(); err != nil || l.Head().Entries != committed || committed == 0 {
		t.Errorf("%d entries, %d had returned: %v", l.Head().Entries, committed, err)
	}
	if err := l.Commit(hop(1_000_000, 10)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A database that may not grow stops the ledger; what had returned is there.
func TestNoRoomInTheDatabase(t *testing.T) {
	l := fresh(t)
	if err := l.db.exec("PRAGMA max_page_count = 30"); err != nil {
		t.Fatal(err)
	}
	committed := fill(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	checkFilled(t, l.path, committed)
}

// The same on a real full disk, of 256 KiB.
func TestNoRoomOnTheDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("SKIPPED: cannot mount a small disk (needs root): %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	l, err := Create(filepath.Join(dir, "ledger"), owner)
	if err != nil {
		t.Fatal(err)
	}
	committed := fill(t, l)
	l.Close() // cannot move its log into the database
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	checkFilled(t, filepath.Join(dir, "ledger"), committed)
}
