package flow

import (
	"fmt"
	"sync"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A memory keeps things, and counts requests.
type memory struct {
	mu             sync.Mutex
	things         map[privacy.Key][]byte
	kept, recalled int
}

func (m *memory) Recall(key privacy.Key) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.things[key] != nil {
		m.recalled++
	}
	return m.things[key]
}

func (m *memory) Keep(key privacy.Key, found []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.things[key], m.kept = found, m.kept+1
}

// A kept result is recalled by the same question and by no other. A damaged one is
// computed anew.
func TestEnergiesAreKept(t *testing.T) {
	g, err := gen.Parse("er:n=20,p=0.2,connected", 1)
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Rounds: 4, Weights: weightsList(t, g)}
	m := &memory{things: map[privacy.Key][]byte{}}
	ask := func(p Problem) string {
		a := accountant(t, p).WithKeeper(m)
		pairs := a.Aimed(2)
		a.Refine(pairs, 1e9, 2)
		towards, err1 := a.Towards(3, 2)
		attacked, err2 := a.AuditTowards(3, 2)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		return fmt.Sprint(pairs.Values, towards, attacked)
	}
	want := ask(p)
	kept := m.kept
	if again := ask(p); again != want || m.kept != kept || m.recalled == 0 {
		t.Errorf("asked again %d are kept after %d, %d recalled, the same %t", m.kept, kept, m.recalled, again == want)
	}
	recalled := m.recalled
	for _, other := range []Problem{{Rounds: 5, Weights: p.Weights}, {Rounds: 4, Weights: p.Weights, Final: true}, {Rounds: 4, Weights: p.Weights, Lipschitz: Table{{0.9}}}} {
		if ask(other); m.recalled != recalled {
			t.Errorf("%+v recalls what another problem has", other)
			recalled = m.recalled
		}
	}
	for key, text := range m.things {
		m.things[key] = append(text[:len(text)-1:len(text)-1], 0xff) // no number, or a negative one
	}
	if again := ask(p); again != want {
		t.Error("what was damaged is used")
	}
}
