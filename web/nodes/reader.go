package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/web"
)

// A Reader reads the folders of participants.
type Reader struct {
	now  func() time.Time
	live func(dir string) (status func() node.Status, known bool)

	ctx   context.Context // of background work
	end   context.CancelFunc
	going sync.WaitGroup

	mu      sync.Mutex
	folders map[string]*folder
}

// New returns a Reader. Close ends its background work. live returns the status function of a
// node that runs in this process, by its folder. If live is nil there are none.
func New(now func() time.Time, live func(dir string) (func() node.Status, bool)) *Reader {
	ctx, end := context.WithCancel(context.Background())
	if live == nil {
		live = func(string) (func() node.Status, bool) { return nil, false }
	}
	return &Reader{now: now, live: live, ctx: ctx, end: end, folders: map[string]*folder{}}
}

// Close cancels background work and waits for it.
func (r *Reader) Close() {
	r.end()
	r.going.Wait()
}

// mostFolders is the largest number of cached participants.
const mostFolders = 200

// Look returns the state of the participant with folder dir.
func (r *Reader) Look(ctx context.Context, dir string) (*web.NodeView, error) {
	joined, err := readJoined(dir)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	f := r.folders[dir]
	if f == nil || f.joined != joined {
		if len(r.folders) >= mostFolders {
			r.folders = map[string]*folder{}
		}
		f = &folder{dir: dir, joined: joined}
		r.folders[dir] = f
		r.aside(f.plan)
	}
	r.mu.Unlock()
	if f.due(r.now()) {
		r.aside(func(context.Context) { f.verify(r.now) })
	}
	v := f.view()
	r.ask(ctx, dir, v)
	v.Warnings = append(v.Warnings, warnings(v)...)
	return v, nil
}

// aside calls do in the background. Close waits for it.
func (r *Reader) aside(do func(context.Context)) {
	r.going.Add(1)
	go func() {
		defer r.going.Done()
		do(r.ctx)
	}()
}

// joined is the record of the first start in a folder (federation.Join).
type joined struct {
	Participant string
	Spec        string
	Joined      time.Time
}

// mostSmall is the largest size in bytes of a small file.
const mostSmall = 1 << 20

func readJoined(dir string) (j joined, err error) {
	text, err := regular.Read(filepath.Join(dir, "joined.json"), mostSmall)
	if err != nil {
		return j, errors.New("this folder does not say who joined (joined.json)")
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return j, fmt.Errorf("joined.json: %w", err)
	}
	return j, nil
}

// openFederation opens the federation of a folder's spec, without data.
func openFederation(ctx context.Context, f *folder) (*federation.Federation, error) {
	s, err := experiment.Load(filepath.Join(f.dir, "spec.yaml"))
	if err != nil {
		return nil, hinted(err)
	}
	if !s.Federated() {
		return nil, errors.New("spec.yaml names no participants")
	}
	fed, err := federation.Open(ctx, s, f.joined.Participant)
	if err != nil {
		return nil, hinted(err)
	}
	if got := fmt.Sprintf("%x", fed.Hash); got != f.joined.Spec {
		return nil, fmt.Errorf("spec.yaml has hash %.16s, and joined was the federation of %.16s", got, f.joined.Spec)
	}
	return fed, nil
}

// hinted returns an error with its hint in one line.
func hinted(err error) error {
	if hint := fault.Hint(err); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}
