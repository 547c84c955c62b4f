package walkpath

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A keeper remembers bytes, and may do something then.
type keeper struct {
	kept     map[privacy.Key][]byte
	recalled int
	then     func()
}

func newKeeper() *keeper { return &keeper{kept: map[privacy.Key][]byte{}} }

func (k *keeper) Keep(key privacy.Key, found []byte) {
	if k.kept[key] = found; k.then != nil {
		k.then()
	}
}

func (k *keeper) Recall(key privacy.Key) []byte {
	found := k.kept[key]
	if found != nil {
		k.recalled++
	}
	return found
}

// Accounting that was interrupted goes on from the laws that were kept, to the
// same numbers bit for bit.
func TestLawsGoOnWhereTheyStopped(t *testing.T) {
	for _, expression := range []string{"ring:7", "er:n=9,p=0.5,seed=3,connected=true"} {
		w, _ := walkOn(t, expression)
		w.Turns, w.Cap = 90, 4
		class := EveryPair(w.Nodes)
		whole, err := w.Laws(class, 2)
		if err != nil {
			t.Fatal(err)
		}
		kept := newKeeper()
		ctx, stop := context.WithCancel(t.Context())
		w.Watch = &Watch{Keeper: kept, Context: ctx}
		w.Watch.Progress = func(done, _ int) {
			if done > 12 {
				stop()
			}
		}
		if _, err := w.Laws(class, 2); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: interrupted accounting returned %v", expression, err)
		}
		found := len(kept.kept)
		first, last := -1, 0
		w.Watch = &Watch{Keeper: kept}
		w.Watch.Progress = func(done, total int) {
			if first < 0 {
				first = total
			}
			last = done
		}
		again, err := w.Laws(class, 2)
		if err != nil {
			t.Fatal(err)
		}
		if found == 0 || found >= first || kept.recalled != found || last != first {
			t.Errorf("%s: %d laws kept, %d recalled, the end at %d of %d", expression, found, kept.recalled, last, first)
		}
		for k, law := range whole.laws {
			for _, sigma := range []float64{0.7, 5} {
				a, b := law.Delta(0.5, sigma), again.laws[k].Delta(0.5, sigma)
				c, d := law.RDP(3, sigma), again.laws[k].RDP(3, sigma)
				if a != b || c != d {
					t.Errorf("%s, law %d: delta %v and RDP %v in one run, %v and %v in two", expression, k, a, c, b, d)
				}
			}
		}
	}
}

// Every law is kept as soon as it is found, also those of a block of pairs that
// move together.
func TestALawIsKeptBeforeItsBlockIsDone(t *testing.T) {
	for _, start := range []int{AnyStart, 2} {
		w, _ := walkOn(t, "er:n=9,p=0.5,seed=3,connected=true")
		w.Turns, w.Cap, w.Start = 90, 4, start
		kept := newKeeper()
		ctx, stop := context.WithCancel(t.Context())
		w.Watch = &Watch{Keeper: kept, Context: ctx}
		w.Watch.Progress = func(done, _ int) {
			if done == 1 {
				stop()
			}
		}
		if _, err := w.Laws(EveryPair(w.Nodes), 1); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted accounting returned %v", err)
		}
		if len(kept.kept) < 1 || len(kept.kept) > 2 { // a second one is on its way when the first is reported
			t.Errorf("start %d: %d laws kept when the first was to be the last", start, len(kept.kept))
		}
	}
}

// A walk that differs in any field, or in any number of its matrix, has another
// key: a law never comes from another walk.
func TestKeySeesEverythingOfAWalk(t *testing.T) {
	make := func() Walk {
		w, _ := walkOn(t, "ring:5")
		w.Turns = 9
		return w
	}
	base := make().key("m")
	if base != make().key("m") || base == make().key("n") {
		t.Fatal("the key of a walk and a method is not its own")
	}
	var change func(v reflect.Value, path string, w *Walk)
	change = func(v reflect.Value, path string, w *Walk) {
		for i := range v.NumField() {
			name := path + v.Type().Field(i).Name
			if name == "Watch" || name == "Walk.W" || name == "Walk.Update" || name == "Walk.Sensitivities" || name == "Walk.Records" || name == "Walk.Starts" || name == "Walk.Besides" {
				continue
			}
			f := v.Field(i)
			old := reflect.New(f.Type()).Elem()
			old.Set(f)
			switch f.Kind() {
			case reflect.Int:
				f.SetInt(f.Int() + 1)
			case reflect.Bool:
				f.SetBool(!f.Bool())
			case reflect.Float64:
				f.SetFloat(math.Nextafter(f.Float(), 9))
			case reflect.Struct:
				change(f, name+".", w)
				continue
			default:
				t.Fatalf("%s: a field of kind %s, of which the key may see only the address", name, f.Kind())
			}
			if w.key("m") == base {
				t.Errorf("%s does not reach the key", name)
			}
			f.Set(old)
		}
	}
	w := make()
	change(reflect.ValueOf(&w).Elem(), "", &w)
	for _, u := range []model.Update{{}, model.Asserted(1, "one says so"), model.Asserted(1, "another says so"), model.Adding(1)} {
		w := make()
		if w.Update = u; w.key("m") == base {
			t.Errorf("the update %q does not reach the key", u.Source())
		}
	}
	w.Starts = []int{0, 1}
	if other := w.key("m"); other == base {
		t.Error("starts do not reach the key")
	} else if w.Starts = []int{1, 0}; w.key("m") == other {
		t.Error("the order of starts does not reach the key")
	}
	for _, edit := range []func(m *sparse.Matrix){
		func(m *sparse.Matrix) { m.N++ },
		func(m *sparse.Matrix) { m.Values[3] = math.Nextafter(m.Values[3], 1) },
		func(m *sparse.Matrix) { m.Columns[0]++ },
		func(m *sparse.Matrix) { m.Offsets[2]++ },
	} {
		w := make()
		copied := *w.W
		copied.Values = append([]float64(nil), copied.Values...)
		copied.Columns = append([]int32(nil), copied.Columns...)
		copied.Offsets = append([]int(nil), copied.Offsets...)
		w.W = &copied
		edit(w.W)
		if w.key("m") == base {
			t.Error("a number of the matrix does not reach the key")
		}
	}
}

// Whatever bytes a kept law has become, reading it gives an error or a law.
func FuzzKeptLaw(f *testing.F) {
	w := Walk{Walk: schedule.Walk{Nodes: 4, Start: AnyStart, Turns: 20, Cap: 2, Update: amplified}}
	l, err := w.Law(0, 1)
	if err != nil {
		f.Fatal(err)
	}
	text, err := l.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Fuzz(func(t *testing.T, text []byte) {
		l := new(Law)
		if l.UnmarshalBinary(text) == nil && l.renewal == nil {
			_, _ = l.Loss(2, privacy.Metric{Delta: 1e-6})
		}
	})
}

// Moments that were interrupted go on where they stopped, and are there at once for any
// other noise; to the same numbers bit for bit. What is damaged is found anew.
func TestMomentsAreKept(t *testing.T) {
	w, _ := walkOn(t, "er:n=40,p=0.2,seed=3,connected=true")
	w.Turns, w.Cap = 200, 3
	whole, err := w.Moments(2)
	if err != nil {
		t.Fatal(err)
	}
	same := func(m *Moments) {
		t.Helper()
		for i, l := range whole.logs {
			if m.logs[i] != l && i/allpairs.Orders/w.Nodes != i/allpairs.Orders%w.Nodes {
				t.Fatalf("moment %d is %v, and was %v", i, m.logs[i], l)
			}
		}
	}
	kept := newKeeper()
	ctx, stop := context.WithCancel(t.Context())
	kept.then = stop // progress is told of beside the work, and may come too late
	w.Watch = &Watch{Keeper: kept, Context: ctx}
	if _, err := w.Moments(1); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	found, blocks := len(kept.kept), (w.Nodes+allpairs.Lanes-1)/allpairs.Lanes
	if found != 1 {
		t.Errorf("%d of %d blocks are kept", found, blocks)
	}
	kept.then = nil
	w.Watch = &Watch{Keeper: kept}
	again, err := w.Moments(1)
	if err != nil || kept.recalled != found || len(kept.kept) != blocks {
		t.Fatalf("%d of %d recalled, %d kept, %v", kept.recalled, found, len(kept.kept), err)
	}
	same(again)
	w.Watch.Stage = func(what string) { t.Errorf("%s, though all is kept", what) }
	at, err := w.Moments(1)
	if err != nil {
		t.Fatal(err)
	}
	same(at)
	w.Watch.Stage = nil
	for key, text := range kept.kept {
		if kept.kept[key] = text[:len(text)-1]; key[0]%2 == 0 {
			kept.kept[key] = text
			binary.LittleEndian.PutUint32(text[len(text)/2:], math.Float32bits(float32(math.NaN())))
		}
	}
	mended, err := w.Moments(1)
	if err != nil {
		t.Fatal(err)
	}
	same(mended)
}
