package federation

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/node/ledger"
)

// writeUpgrade makes testdata/upgrade anew with the program as it is: with every release, so
// that the next one is held against what it wrote.
//
//	go test ./federation -run Upgrade -write-upgrade
var writeUpgrade = flag.Bool("write-upgrade", false, "write the ledgers that the next release must go on from")

// upgradeFolder has the folders of participants who were stopped in the middle of a run by the
// release before.
const upgradeFolder = "testdata/upgrade"

var upgraded = map[string]string{
	"walk": `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: logistic}
algorithm: {kind: walk, steps: 90, step_size: 0.1, clip: 0.2, contributions: 40}
privacy: {sigma: 3, release: final, accountant: local}
federation: {linger: 30s}
`,
	"gossip": `data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: 30, step_size: 0.1, clip: 0.2}
privacy: {sigma: 30, accountant: local}
federation: {linger: 30s}
`,
}

// upgradeNames are the participants of these runs.
var upgradeNames = []string{"lyon", "nice"}

// newUpgrade is a stage whose spec is always the same; joining finds everybody on ports that
// are free today.
func newUpgrade(t *testing.T, name string) (s *stage, join func(ctx context.Context, name string) (*Outcome, error)) {
	text := "name: upgrade\nparticipants:\n"
	for _, name := range upgradeNames {
		text += "  - {name: " + name + ", key: " + keyOf(t, name).Peer().String() + ", addresses: [/dns4/" + name + ".example/tcp/4100]}\n"
	}
	s = &stage{t: t, dir: t.TempDir(), names: upgradeNames, spec: parse(t, text+"graph: complete:2\n"+upgraded[name])}
	ports, err := loopback.Hold(len(s.names))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ports.Close() })
	var addresses [][]ma.Multiaddr
	for i, name := range s.names {
		address, err := ma.NewMultiaddr(ports[i].Multiaddress())
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, []ma.Multiaddr{address})
		if err := os.WriteFile(s.file(name), []byte(patients(uint64(i))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s, func(ctx context.Context, name string) (*Outcome, error) {
		f := open(t, s.spec, name)
		f.addresses = addresses
		return f.Join(ctx, s.options(name))
	}
}

// A run that the release before began, and that was stopped in the middle, is gone on with:
// from its ledgers, to the end, with no turn taken twice and nothing counted that was not sent.
func TestUpgradeGoesOnFromTheLedgerOfTheReleaseBefore(t *testing.T) {
	testdata.Sequential(t)
	for name := range upgraded {
		t.Run(name, func(t *testing.T) {
			s, join := newUpgrade(t, name)
			from := filepath.Join(upgradeFolder, name)
			if *writeUpgrade {
				writeStopped(t, s, join, from)
			}
			if err := os.CopyFS(s.dir, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			before := map[string]ledger.Head{}
			for _, name := range s.names {
				before[name] = headOf(t, s, name)
			}
			outcomes := make([]*Outcome, len(s.names))
			var group sync.WaitGroup
			for i, name := range s.names {
				group.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					var err error
					if outcomes[i], err = join(ctx, name); err != nil {
						t.Errorf("%s: %v (%s)\nA release must go on with the runs of the one before, or raise the ledger's version and say so in CHANGELOG.md.", name, err, fault.Hint(err))
					}
				})
			}
			group.Wait()
			for i, name := range s.names {
				if t.Failed() {
					return
				}
				if !outcomes[i].Ended {
					t.Errorf("%s did not see the end", name)
				}
				if after := headOf(t, s, name); after.Releases <= before[name].Releases || after.Entries <= before[name].Entries {
					t.Errorf("%s: the ledger ends at %+v, and ended at %+v before", name, after, before[name])
				}
			}
		})
	}
}

// headOf opens and verifies a ledger.
func headOf(t *testing.T, s *stage, name string) ledger.Head {
	t.Helper()
	book, err := ledger.Open(filepath.Join(s.dir, name, LedgerFile))
	if err != nil {
		t.Fatalf("%s: %v (%s)", name, err, fault.Hint(err))
	}
	head := book.Head()
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	return head
}

// writeStopped runs everybody until each has committed something, stops one and then the other,
// which has messages by then that nobody has acknowledged, and keeps their folders.
func writeStopped(t *testing.T, s *stage, join func(context.Context, string) (*Outcome, error), to string) {
	var stop []func()
	for _, name := range s.names {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if _, err := join(ctx, name); err == nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s ended before it was stopped: %v", name, err)
			}
		}()
		stop = append(stop, func() { cancel(); <-ended })
	}
	for _, name := range s.names {
		path := filepath.Join(s.dir, name, LedgerFile)
		for t.Context().Err() == nil {
			if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 300<<10 {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	for _, end := range stop {
		end()
		time.Sleep(time.Second)
	}
	if t.Failed() {
		t.FailNow()
	}
	for _, name := range s.names {
		folder := filepath.Join(to, name)
		if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{LedgerFile, LedgerFile + "-head", joinedFile} {
			content, err := os.ReadFile(filepath.Join(s.dir, name, file))
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, file), content, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range s.names {
		if err := os.WriteFile(s.file(name), []byte(patients(uint64(i))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
