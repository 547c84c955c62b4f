package studies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// Whoever is done first, what is said is said in order, and no more work at once than may.
func TestSideBySideIsHeardInOrder(t *testing.T) {
	const count = 12
	var want []string
	for i := range count {
		want = append(want, fmt.Sprint(i, " begins"), fmt.Sprint(i, " ends"))
	}
	for _, most := range []int{0, 1, 3, count} {
		var said []string
		var working atomic.Int32
		done := make([]chan struct{}, count) // whoever may waits for the next but one, which has ended then
		for i := range done {
			done[i] = make(chan struct{})
		}
		err := sideBySide(t.Context(), count, most, func(_ context.Context, i int, say func(func())) error {
			defer close(done[i])
			if n := working.Add(1); int(n) > max(1, most) {
				t.Errorf("%d work at once, %d may", n, most)
			}
			defer working.Add(-1)
			say(func() { said = append(said, fmt.Sprint(i, " begins")) })
			if most > 2 && i%3 == 0 && i+2 < count {
				<-done[i+2]
			}
			say(func() { said = append(said, fmt.Sprint(i, " ends")) })
			return nil
		})
		if err != nil || !slices.Equal(said, want) {
			t.Errorf("%d at once: %v\n%s", most, err, strings.Join(said, "\n"))
		}
	}
}

// After an error nobody begins, those who work are told to end, and it is the error that is returned.
func TestSideBySideEndsTogether(t *testing.T) {
	broken := errors.New("broken")
	begun := make(chan struct{})
	var calls atomic.Int32
	err := sideBySide(t.Context(), 9, 2, func(ctx context.Context, i int, _ func(func())) error {
		calls.Add(1)
		if i == 0 {
			<-begun
			return broken
		}
		close(begun) // a third would panic
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, broken) || calls.Load() != 2 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := sideBySide(ctx, 3, 2, func(context.Context, int, func(func())) error { return errors.New("called") }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Accountants of the one whose turn it is are heard; of others what they did last is, when their turn comes.
func TestAccountantsSideBySideAreHeardInOrder(t *testing.T) {
	var said []string
	ctx := experiment.Watching(t.Context(), &walkpath.Watch{
		Stage:    func(what string) { said = append(said, what) },
		Progress: func(done, total int) { said = append(said, fmt.Sprintf("%d of %d", done, total)) },
	})
	second := make(chan struct{})
	err := sideBySide(ctx, 2, 2, func(ctx context.Context, i int, _ func(func())) error {
		w := family.WatchOf(ctx)
		if i == 0 {
			<-second
		}
		w.Stage(fmt.Sprint("stage of ", i))
		w.Progress(i, 2)
		if i == 1 {
			close(second)
		}
		return w.Context.Err()
	})
	if want := []string{"stage of 0", "0 of 2", "stage of 1"}; err != nil || !slices.Equal(said, want) {
		t.Errorf("%v, %q", err, said)
	}
}

// Who interrupts studies is told that those that are complete are not lost.
func TestStudiesThatAreKeptAreSpokenOf(t *testing.T) {
	var written atomic.Int32
	hint := goesOn(&written, "out", func() string { return "nothing was written" })
	if got := hint(); got != "nothing was written" || goesOn(&written, "", nil)() != "" {
		t.Error(got)
	}
	written.Add(2)
	if got := hint(); !strings.Contains(got, "out has are not run again (2 now)") {
		t.Error(got)
	}
}
