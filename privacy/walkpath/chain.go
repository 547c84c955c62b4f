package walkpath

import (
	"encoding/binary"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A chain is a walk lumped for a pair (u, v): nodes that neither u nor v can tell apart are one state.
// State 0 is u, state 1 is v.
type chain struct {
	w     *sparse.Matrix
	start []float64 // law of the holder of the first update
	seen  []bool    // states of a coalition; nil: v's alone
}

const (
	atU = 0
	atV = 1
)

// chainOf returns the chain of the pair (u, v), two different nodes.
func (w Walk) chainOf(u, v int) *chain {
	if w.W == nil {
		return w.completeChain(u, v)
	}
	return w.chainOver(lump(w.W, u, v))
}

// observed reports whether an observer holds the token.
func (c *chain) observed(state int) bool { return state == atV || c.seen != nil && c.seen[state] }

// chainOver returns the chain in which node x is in state[x].
func (w Walk) chainOver(state []int32) *chain {
	c := &chain{w: quotient(w.W, state)}
	c.start = make([]float64, c.w.N)
	if w.Start != AnyStart {
		c.start[state[w.Start]] = 1
	} else {
		for _, s := range state {
			c.start[s] += 1 / float64(w.Nodes)
		}
	}
	c = w.skipping(c)
	c.burn(w.BurnIn)
	return c
}

// skipping returns the chain of a walk whose holders skip turns. A turn that u skips is a state of its own,
// the last one, from which the token goes on as from u. Turns that other nodes skip need no state.
func (w Walk) skipping(c *chain) *chain {
	if w.Skip == 0 {
		return c
	}
	away := c.w.N
	split := &chain{w: &sparse.Matrix{N: away + 1, Offsets: make([]int, 1, away+2)}, start: append(slices.Clone(c.start), 0), seen: c.seen}
	for x := range away + 1 {
		row := x
		if x == away {
			row = atU
		}
		columns, values := c.w.Row(row)
		skipped := 0.0
		for k, y := range columns {
			stays := values[k]
			if y == atU {
				skipped = float64(w.Skip * stays)
				stays -= skipped
			}
			split.w.Columns, split.w.Values = append(split.w.Columns, y), append(split.w.Values, stays)
		}
		if skipped > 0 {
			split.w.Columns, split.w.Values = append(split.w.Columns, int32(away)), append(split.w.Values, skipped)
		}
		split.w.Offsets = append(split.w.Offsets, len(split.w.Columns))
	}
	split.start[away] = float64(w.Skip * split.start[atU])
	split.start[atU] -= split.start[away]
	return split
}

// completeChain returns the chain with the states u, v and all others.
func (w Walk) completeChain(u, v int) *chain {
	each := 1 / float64(w.Nodes)
	row := []float64{each, each, 1 - float64(2*each)}
	c := &chain{w: &sparse.Matrix{N: 3, Offsets: []int{0, 3, 6, 9}, Columns: []int32{0, 1, 2, 0, 1, 2, 0, 1, 2}}}
	for range 3 {
		c.w.Values = append(c.w.Values, row...)
	}
	c.start = row
	if w.Start != AnyStart && w.BurnIn == 0 {
		c.start = make([]float64, 3)
		c.start[slices.Index([]int{u, v, w.Start}, w.Start)] = 1
	}
	return w.skipping(c)
}

// fromUTo returns the chain of a token that u holds and does not skip.
func (w Walk) fromUTo(u, v int) *chain {
	w.Start, w.BurnIn = u, 0
	c := w.chainOf(u, v)
	c.start = c.at(atU)
	return c
}

// burn advances the law of the start by turns turns.
func (c *chain) burn(turns int) {
	next := make([]float64, c.w.N)
	for range turns {
		c.move(next, c.start)
		c.start, next = next, c.start
	}
}

// at returns the law with all mass in one state.
func (c *chain) at(state int) []float64 {
	x := make([]float64, c.w.N)
	x[state] = 1
	return x
}

// move sets dst = x W.
func (c *chain) move(dst, x []float64) {
	clear(dst)
	for i, p := range x {
		if p == 0 {
			continue
		}
		columns, values := c.w.Row(i)
		for k, j := range columns {
			dst[j] += float64(p * values[k])
		}
	}
}

// lump returns the class of every node: the coarsest partition that separates u and v, in which two nodes
// of one class go to every class with the same weights.
func lump(w *sparse.Matrix, u, v int) []int32 { return lumpFor(w, u, []int{v}) }

// lumpFor does as lump for several observers, which are class 1 at first. Refining keeps the first of them
// there.
func lumpFor(w *sparse.Matrix, u int, observers []int) []int32 {
	class := make([]int32, w.N)
	for x := range class {
		class[x] = 2
	}
	class[u] = atU
	for _, v := range observers {
		class[v] = atV
	}
	for count := 0; ; {
		refined, now := refine(w, class)
		if now == count {
			return class
		}
		class, count = refined, now
	}
}

// refine splits classes by the classes their nodes go to, and returns the classes and their number. Classes
// 0 and 1 keep their numbers.
func refine(w *sparse.Matrix, class []int32) ([]int32, int) {
	refined := make([]int32, len(class))
	names := make(map[string]int32)
	names[string(signature(nil, w, class, slices.Index(class, atU)))] = atU
	names[string(signature(nil, w, class, slices.Index(class, atV)))] = atV
	var key []byte
	for x := range class {
		key = signature(key[:0], w, class, x)
		name, known := names[string(key)]
		if !known {
			name = int32(len(names))
			names[string(key)] = name
		}
		refined[x] = name
	}
	return refined, len(names)
}

// signature appends the class of x, and the sorted classes and weights of its row.
func signature(key []byte, w *sparse.Matrix, class []int32, x int) []byte {
	type entry struct {
		class  int32
		weight uint64
	}
	columns, values := w.Row(x)
	entries := make([]entry, len(columns))
	for k, y := range columns {
		entries[k] = entry{class: class[y], weight: math.Float64bits(values[k])}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.class != b.class {
			return int(a.class - b.class)
		}
		if a.weight < b.weight {
			return -1
		}
		if a.weight > b.weight {
			return 1
		}
		return 0
	})
	key = binary.LittleEndian.AppendUint32(key, uint32(class[x]))
	for _, e := range entries {
		key = binary.LittleEndian.AppendUint32(key, uint32(e.class))
		key = binary.LittleEndian.AppendUint64(key, e.weight)
	}
	return key
}

// quotient returns the transition matrix between classes.
func quotient(w *sparse.Matrix, class []int32) *sparse.Matrix {
	n := int(slices.Max(class)) + 1
	q := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1)}
	member := make([]int, n)
	for x, c := range class {
		member[c] = x
	}
	weight := make([]float64, n) // 0 between rows
	var classes []int32          // of a row
	for _, x := range member {
		classes = classes[:0]
		columns, values := w.Row(x)
		for k, y := range columns {
			weight[class[y]] += values[k]
			classes = append(classes, class[y])
		}
		slices.Sort(classes)
		for _, c := range slices.Compact(classes) {
			if weight[c] != 0 {
				q.Columns, q.Values = append(q.Columns, c), append(q.Values, weight[c])
				weight[c] = 0
			}
		}
		q.Offsets = append(q.Offsets, len(q.Columns))
	}
	return q
}
