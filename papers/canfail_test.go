package papers

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/hearsay-dp/hearsay/spec"
)

// A leaf is one number of what was measured, and where it is: with the indices, and without.
type leaf struct {
	at    []string // field names, and indices in brackets
	get   func() float64
	set   func(float64)
	whole bool // an integer or a truth
}

// group names the leaves that differ in some of their indices only: those that are left out.
func (l leaf) group(out func(k, indices int) bool) string {
	indices, k := 0, 0
	for _, part := range l.at {
		if part[0] == '[' {
			indices++
		}
	}
	name := make([]string, len(l.at))
	for i, part := range l.at {
		if name[i] = part; part[0] == '[' {
			if out(k, indices) {
				name[i] = "[]"
			}
			k++
		}
	}
	return strings.Join(name, ".")
}

// leaves are all numbers that what a pointer points to has, in fields of any name. Graphs, specs and what the paper prints were not measured.
func leaves(v reflect.Value, at []string) (all []leaf) {
	at = slices.Clip(at)
	switch v.Type() {
	case reflect.TypeFor[topology](), reflect.TypeFor[contender](), reflect.TypeFor[Variant](), reflect.TypeFor[spec.Spec]():
		return nil
	}
	if !v.CanSet() && v.CanAddr() { // a field that is not exported
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return leaves(v.Elem(), at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, leaves(v.Field(i), append(at, v.Type().Field(i).Name))...)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			all = append(all, leaves(v.Index(i), append(at, fmt.Sprintf("[%d]", i)))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			here := append(at, fmt.Sprintf("[%v]", key))
			if e := v.MapIndex(key); e.Kind() == reflect.Float64 {
				all = append(all, leaf{here, func() float64 { return v.MapIndex(key).Float() }, func(x float64) { v.SetMapIndex(key, reflect.ValueOf(x)) }, false})
			} else {
				all = append(all, leaves(e, here)...)
			}
		}
		slices.SortFunc(all, func(a, b leaf) int { return strings.Compare(fmt.Sprint(a.at), fmt.Sprint(b.at)) })
	case reflect.Float64:
		all = append(all, leaf{at, v.Float, v.SetFloat, false})
	case reflect.Int, reflect.Int32, reflect.Int64:
		all = append(all, leaf{at, func() float64 { return float64(v.Int()) }, func(x float64) { v.SetInt(int64(x)) }, true})
	case reflect.Bool:
		all = append(all, leaf{at, func() float64 { return map[bool]float64{true: 1}[v.Bool()] }, func(x float64) { v.SetBool(x > 0.5) }, true})
	}
	return all
}

// perturbations are what may have been measured instead of n numbers x, ascending in place: entry i of the result.
var perturbations = []func(x []float64, i int) float64{
	func([]float64, int) float64 { return 0 },
	func([]float64, int) float64 { return 1 },
	func(x []float64, i int) float64 { return -x[i] },
	func(x []float64, i int) float64 { return x[len(x)-1-i] },
	func(x []float64, i int) float64 { return x[(i+1)%len(x)] },
	func(x []float64, i int) float64 { return 1e4 * x[i] },
	func(x []float64, i int) float64 { return x[i] / 1e4 },
	func(x []float64, i int) float64 { return x[i] + 1 },
	func(x []float64, i int) float64 { return x[i] - 1 },
	func(_ []float64, i int) float64 { return float64(i + 1) },
	func(x []float64, i int) float64 { return float64(len(x) - i) },
	func(x []float64, i int) float64 { return math.Pow(10, float64(-i)) },
	func(x []float64, i int) float64 { return math.Pow(10, float64(i-len(x))) },
	func(x []float64, i int) float64 { return x[(7919*i+len(x)/3)%len(x)] }, // in some other order
}

// answers remembers which answers each check has given.
type answers map[string]map[bool]bool

func (a answers) ask(e evidence) (checks []Check) {
	defer func() { _ = recover() }() // values that no study can measure
	checks = e.says()
	for i, c := range checks {
		name := fmt.Sprintf("%d, %s: %s", i, c.Basis, c.Claim)
		if a[name] == nil {
			a[name] = map[bool]bool{}
		}
		a[name][c.Holds] = true
	}
	return checks
}

// instead asks again with other values in place of some.
func (a answers) instead(e evidence, some []leaf, value func(x []float64, i int) float64) []Check {
	x := make([]float64, len(some))
	for i, l := range some {
		x[i] = l.get()
	}
	for i, l := range some {
		y := value(x, i)
		if l.whole {
			y = min(max(y, -1e3), 1e3) // some are lengths
		}
		l.set(y)
	}
	checks := a.ask(e)
	for i, l := range some {
		l.set(x[i])
	}
	return checks
}

// empty takes all entries out of lists and maps that a pointer points to, as far as structs and arrays lead to them, and reports whether
// there are any.
func empty(v reflect.Value) (some bool) {
	if !v.CanSet() && v.CanAddr() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && empty(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			some = empty(v.Field(i)) || some
		}
	case reflect.Array:
		for i := range v.Len() {
			some = empty(v.Index(i)) || some
		}
	case reflect.Slice, reflect.Map:
		some = v.Len() > 0
		v.SetZero()
	}
	return some
}

// pairs are two lists of what was measured that are as long as each other: one takes the numbers of the other, or their opposites; and
// all take those of one.
func (a answers) pairs(e evidence, groups [][]leaf) {
	for i, some := range groups {
		for k, other := range groups {
			if i == k || len(some) != len(other) || len(some) < 2 {
				continue
			}
			for _, sign := range []float64{1, -1} {
				a.instead(e, some, func(_ []float64, i int) float64 { return sign * other[i].get() })
			}
		}
		all, n := slices.Concat(groups...), len(some)
		a.instead(e, all, func(x []float64, i int) float64 { return some[i%n].get() })
	}
}

// ofEqual are those of some checks, by name, that come out of numbers that are all the same, whichever that is, and do not say that things
// are alike or no worse.
func (a answers) ofEqual(e evidence, real []leaf, own []string) map[string]bool {
	always := map[string]bool{}
	for _, name := range own {
		always[name] = len(real) > 1 && !slices.ContainsFunc(alike, func(words string) bool { return strings.Contains(name, words) })
	}
	values := []float64{0, 1, -1, 1e-9, 1e9}
	for i := 0; i < len(real); i += 1 + len(real)/10 {
		values = append(values, real[i].get())
	}
	for _, value := range values {
		one := answers{}
		one.instead(e, real, func([]float64, int) float64 { return value })
		maps.DeleteFunc(always, func(name string, _ bool) bool { return !always[name] || one[name][false] })
	}
	return always
}

// alike are words of claims that say so.
var alike = []string{"alone", "alike", "hardly", "at least as", "no more", "no worse", "is a bound", "nobody proves more", "is above the exact"}

// canFail wants every check to come out of some values and to fail of others, and to fail where all numbers are none or nothing was
// measured at all.
func canFail(t *testing.T, f *Findings) {
	t.Helper()
	var said []Check
	for _, e := range f.evidence {
		a := answers{}
		said = append(said, a.ask(e)...)
		own := slices.Collect(maps.Keys(a)) // claims that name what was changed are others
		all := leaves(reflect.ValueOf(e.measured), nil)
		for _, some := range grouped(all) {
			for _, value := range perturbations {
				a.instead(e, some, value)
			}
		}
		var real []leaf
		for _, l := range all {
			if !l.whole {
				real = append(real, l)
			}
		}
		for _, c := range a.instead(e, real, func([]float64, int) float64 { return math.NaN() }) {
			if c.Holds && len(real) > 0 {
				t.Errorf("%s: %q comes out of no numbers at all (%s)", c.Basis, c.Claim, c.Measured)
			}
		}
		for _, sides := range [][][]leaf{named(all, func(k, _ int) bool { return k > 0 }), named(all, func(int, int) bool { return true })} {
			if len(sides) <= 12 {
				a.pairs(e, sides)
			}
		}
		for name := range a.ofEqual(e, real, own) {
			t.Errorf("%s: comes out of numbers that are all the same, whatever they are", name)
		}
		for _, name := range own {
			if given := a[name]; !given[false] || !given[true] {
				t.Errorf("%s: only ever %v", name, given)
			}
		}
	}
	for _, e := range f.evidence {
		if !empty(reflect.ValueOf(e.measured)) {
			continue
		}
		for _, c := range (answers{}).ask(e) {
			if c.Holds {
				t.Errorf("%s: %q comes out where nothing was measured (%s)", c.Basis, c.Claim, c.Measured)
			}
		}
	}
	if fmt.Sprint(said) != fmt.Sprint(f.Checks) {
		t.Errorf("checks of %d measured values are not those of the study:\n%v\n%v", len(f.evidence), said, f.Checks)
	}
}

// grouped are sets of leaves that are changed together: all, those of one field, of one of several things that are compared, and
// single ones where they are few.
func grouped(all []leaf) (groups [][]leaf) {
	groups = append(groups, all)
	const most = 60 // of one kind
	for _, out := range []func(k, indices int) bool{
		func(int, int) bool { return true },
		func(k, _ int) bool { return k > 0 },
		func(k, _ int) bool { return k == 0 },
		func(k, n int) bool { return k == n-1 },
		func(int, int) bool { return false },
	} {
		if by := named(all, out); len(by) <= most {
			groups = append(groups, by...)
		}
	}
	return groups
}

// named are the leaves that have a name in common.
func named(all []leaf, out func(k, indices int) bool) (groups [][]leaf) {
	at := map[string]int{}
	for _, l := range all {
		name := l.group(out)
		i, seen := at[name]
		if !seen {
			i = len(groups)
			at[name], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

// What a check says is not known before it is measured: with other values each one fails, and with others it comes out.
func TestChecksThatCannotFailAreFound(t *testing.T) {
	x := []float64{1, 2}
	for what, says := range map[string]func() bool{
		"always":  func() bool { return x[0] <= 2 || x[1] >= 0 || x[0] != x[0] || true },
		"never":   func() bool { return x[0] < x[0] },
		"nothing": func() bool { return !(x[0] > x[1]) }, // comes out of numbers that are none
	} {
		a := answers{}
		e := evidence{&x, func() []Check { return []Check{{what, AsPublished, says(), ""}} }}
		a.ask(e)
		all := leaves(reflect.ValueOf(&x), nil)
		for _, some := range grouped(all) {
			for _, value := range perturbations {
				a.instead(e, some, value)
			}
		}
		nan := a.instead(e, all, func([]float64, int) float64 { return math.NaN() })
		both := false
		for _, given := range a {
			both = len(given) == 2
		}
		if both != (what == "nothing") || (what == "nothing") != (both && nan[0].Holds) {
			t.Errorf("%s: %v, %v", what, a, nan)
		}
		if x[0] != 1 || x[1] != 2 {
			t.Errorf("%v is left", x)
		}
	}
}
