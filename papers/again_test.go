package papers

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// memory keeps in a map, and counts.
type memory struct {
	mu       sync.Mutex
	kept     map[privacy.Key][]byte
	recalled int
}

func (m *memory) Recall(key privacy.Key) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept[key] != nil {
		m.recalled++
	}
	return m.kept[key]
}

func (m *memory) Keep(key privacy.Key, found []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[key] = found
}

func remembering(t *testing.T) (context.Context, *memory) {
	m := &memory{kept: map[privacy.Key][]byte{}}
	return family.Watching(t.Context(), &walkpath.Watch{Keeper: m}), m
}

// What was found is not found again, whatever numbers it has; another question is, and so is what broke or is damaged.
func TestPartsOfStudiesAreFoundOnce(t *testing.T) {
	ctx, m := remembering(t)
	calls := 0
	ask := func(of ...any) []float64 {
		found, err := again(ctx, func() ([]float64, error) { calls++; return []float64{float64(calls), math.NaN(), math.Inf(1)}, nil }, of...)
		if err != nil || len(found) != 3 || !math.IsNaN(found[1]) || !math.IsInf(found[2], 1) {
			t.Fatal(found, err)
		}
		return found
	}
	if first, second := ask("a", 1), ask("a", 1); first[0] != second[0] || calls != 1 {
		t.Errorf("%v, then %v", first, second)
	}
	if ask("a", 2); calls != 2 {
		t.Error("another question has the same answer")
	}
	broken := errors.New("broken")
	for range 2 {
		if _, err := again(ctx, func() (int, error) { calls++; return 0, broken }, "b"); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
	if calls != 4 {
		t.Error("what broke was kept")
	}
	for key := range m.kept {
		m.kept[key] = []byte("damaged")
	}
	if ask("a", 1); calls != 5 {
		t.Error("what is damaged was used")
	}
}

// Studies that run side by side and ask the same find it once, what breaks is asked again by the next, and nobody waits for longer than its
// context.
func TestStudiesSideBySideFindOnce(t *testing.T) {
	ctx, m := remembering(t)
	ctx = Together(ctx)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	find := func() (int, error) {
		if calls.Add(1) == 1 {
			close(begun)
			<-goOn
			return 0, errors.New("broken")
		}
		return 7, nil
	}
	var group sync.WaitGroup
	group.Go(func() { _, _ = again(ctx, find, "a") })
	<-begun
	short, stop := context.WithCancel(ctx)
	stop()
	if _, err := again(short, find, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if found, err := again(ctx, func() (int, error) { return 3, nil }, "b"); found != 3 || err != nil { // something else waits for nobody
		t.Error(found, err)
	}
	var right atomic.Int32
	for range 5 {
		group.Go(func() {
			if found, err := again(ctx, find, "a"); found == 7 && err == nil {
				right.Add(1)
			}
		})
	}
	close(goOn)
	group.Wait()
	if calls.Load() != 2 || right.Load() != 5 || len(m.kept) != 2 {
		t.Errorf("found %d times, %d have it, %d are kept", calls.Load(), right.Load(), len(m.kept))
	}
}

// 002 Tables 4.1 and A.1 ask who reconstructs whom on the same graphs: the second table finds it there.
func TestTheTablesOfPositionsShareTheirAttacks(t *testing.T) {
	ctx, m := remembering(t)
	g, err := gen.Parse("er:n=40,p=0.15,seed=1,connected", 1)
	if err != nil {
		t.Fatal(err)
	}
	var seats [2]seat
	for k, target := range []bool{false, true} {
		seats[k] = seat{graph: "toy", nodes: g.Len(), rounds: fewRounds}
		if err := (positions{target: target}).attack(ctx, &seats[k], g, everyone(g.Len())); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.kept) != 2 || m.recalled != 2 || !slices.Equal(seats[0].share, seats[1].share) || len(seats[1].path) != 40 {
		t.Errorf("%d parts kept, %d recalled, %d and %d shares", len(m.kept), m.recalled, len(seats[0].share), len(seats[1].path))
	}
}

// Of a graph that is large some attack, without repetition and always the same; of others everybody does.
func TestSomeAttackOnLargeGraphs(t *testing.T) {
	if n := everyoneUpTo; !slices.Equal(attackersOf(n), everyone(n)) {
		t.Error("not everybody attacks")
	}
	some := attackersOf(1034)
	if len(slices.Compact(slices.Clone(some))) != fewAttackers || !slices.IsSorted(some) || some[0] < 0 || some[len(some)-1] >= 1034 || !slices.Equal(some, attackersOf(1034)) {
		t.Error(some)
	}
	if got := (seat{nodes: 1034, share: make([]float64, fewAttackers)}).attackers(); got != "100 drawn" {
		t.Error(got)
	}
}
