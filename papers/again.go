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

// again returns the result of find, or a kept result of an earlier call with the same of, in this study or another,
// before or after an interruption. It keeps results only if the command does. of must hold everything that the result
// depends on: values that fmt prints in full, and digests.
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

// busy holds the questions that some study is answering. Each has a channel that is closed when the answer is there.
type busy struct {
	mu      sync.Mutex
	finding map[privacy.Key]chan struct{}
}

// Together lets studies under the context run in parallel. If the command keeps results, a study waits for a result
// that another one is computing instead of computing it again.
func Together(ctx context.Context) context.Context {
	return context.WithValue(ctx, togetherKey{}, &busy{finding: map[privacy.Key]chan struct{}{}})
}

// alone waits until no other study that runs together with this one is computing the answer to key, or until ctx ends.
// Others wait until leave is called.
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

// digest returns a digest of a matrix. Different matrices have different digests.
func digest(w *sparse.Matrix) string {
	sum := sha256.New()
	fmt.Fprint(sum, w.N, w.Offsets, w.Columns, w.Values) // fmt prints different numbers differently
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// A pricing holds one family's losses in two units.
type pricing struct{ Energy, Epsilon Curve }
