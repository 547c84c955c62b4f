package papers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"sync"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// again is what find gives, or what it gave before to whoever asked for the same, in this study or another, now or before an
// interruption, where the command keeps what it finds. What it depends on is of: values that fmt prints in full, and digests.
func again[T any](ctx context.Context, find func() (T, error), of ...any) (found T, err error) {
	watch := family.WatchOf(ctx)
	if watch == nil || watch.Keeper == nil {
		return find()
	}
	key := privacy.Key(sha256.Sum256(fmt.Appendf(nil, "part of a study\n%T\n%q\n", found, fmt.Sprintf("%v", of))))
	leave, err := alone(ctx, key)
	if err != nil {
		return found, err
	}
	defer leave()
	if text := watch.Keeper.Recall(key); text != nil && gob.NewDecoder(bytes.NewReader(text)).Decode(&found) == nil {
		return found, nil
	}
	if found, err = find(); err != nil {
		return found, err
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(found); err != nil {
		panic(fmt.Sprintf("papers: %T cannot be kept: %v", found, err))
	}
	watch.Keeper.Keep(key, text.Bytes())
	return found, nil
}

type togetherKey struct{}

// busy are the questions to which some study is finding the answer, with a channel each that is closed when it has.
type busy struct {
	mu      sync.Mutex
	finding map[privacy.Key]chan struct{}
}

// Together lets studies run side by side under the context: what one of them is finding others wait for, where the command keeps
// what it finds, and do not find themselves.
func Together(ctx context.Context) context.Context {
	return context.WithValue(ctx, togetherKey{}, &busy{finding: map[privacy.Key]chan struct{}{}})
}

// alone waits until no other study that runs together with this one is finding what key asks for, or ctx ends. Others wait until leave is
// called.
func alone(ctx context.Context, key privacy.Key) (leave func(), err error) {
	b, some := ctx.Value(togetherKey{}).(*busy)
	if !some {
		return func() {}, nil
	}
	own := make(chan struct{})
	for {
		b.mu.Lock()
		others, some := b.finding[key]
		if !some {
			b.finding[key] = own
		}
		b.mu.Unlock()
		if !some {
			return func() {
				b.mu.Lock()
				defer b.mu.Unlock()
				delete(b.finding, key)
				close(own)
			}, nil
		}
		select {
		case <-others:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// digest tells matrices apart.
func digest(w *sparse.Matrix) string {
	sum := sha256.New()
	fmt.Fprint(sum, w.N, w.Offsets, w.Columns, w.Values) // numbers are printed so that no two are the same
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// A pricing is one family's losses in two units.
type pricing struct{ Energy, Epsilon Curve }
