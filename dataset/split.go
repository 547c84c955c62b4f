package dataset

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// Draws that belong to no node are keyed by everyone and these turns.
const (
	everyone step.NodeID = -1

	splitTurn step.Turn = iota
	partitionTurn
	truthTurn
	testTurn
	validationTurn
	personTurn // and all after it
)

// split chooses test rows: the source's own, or a fraction of every stratum,
// rounded to the nearest whole number of rows in all. Both parts are shuffled.
func split(t *Table, fraction float64, strata [][]int32, rng *rand.Rand) (train, test []int32, err error) {
	rows := t.Rows()
	if fraction == OwnTest {
		if t.OwnTest == 0 {
			return nil, nil, fault.New(t.Source+" has no test part of its own", "give the fraction of rows kept for testing, such as test: 0.2")
		}
		train, test = sequence(0, rows-t.OwnTest), sequence(rows-t.OwnTest, rows)
		shuffle(train, rng)
		return train, test, nil
	}
	return keep(fraction, strata, rng)
}

// keep keeps a fraction of every stratum, rounded to the nearest whole number of rows in all. Both parts are shuffled.
func keep(fraction float64, strata [][]int32, rng *rand.Rand) (train, test []int32, err error) {
	sizes, rows := make([]int, len(strata)), 0
	for c := range strata {
		sizes[c], rows = len(strata[c]), rows+len(strata[c])
		shuffle(strata[c], rng)
	}
	counts := make([]int, len(strata))
	apportion(counts, sizes, int(math.Round(fraction*float64(rows))))
	for c, rows := range strata {
		test = append(test, rows[:counts[c]]...)
		train = append(train, rows[counts[c]:]...)
	}
	if len(train) == 0 {
		return nil, nil, fault.New(fmt.Sprintf("a test fraction of %v leaves none of %d rows to learn from", fraction, rows), "keep fewer rows for testing")
	}
	shuffle(train, rng)
	shuffle(test, rng)
	return train, test, nil
}

// Learnt returns the number of rows that are learnt from if a fraction is kept for
// testing.
func Learnt(rows int, fraction float64) int { return rows - int(math.Round(fraction*float64(rows))) }

// places returns strata of some rows that depend on no value of a row. They are the groups whose rows lie on
// nodes of their own, so that the number of rows that each has left is public, or else one stratum for all.
func (t *Table) places(rows []int32, partition string) [][]int32 {
	kind, name := partitionKind(partition)
	if kind != "column" || name != t.Group || t.Group == "" {
		return [][]int32{rows}
	}
	all := make([][]int32, len(t.GroupNames))
	for _, i := range rows {
		all[t.Groups[i]] = append(all[t.Groups[i]], i)
	}
	return all
}

// strata groups rows by class, in the order of labels; rows without classes
// are one group.
func (t *Table) strata(rows []int32) [][]int32 {
	if t.Task != Classification {
		return [][]int32{rows}
	}
	byLabel := make(map[float64][]int32)
	for _, i := range rows {
		byLabel[t.Y[i]] = append(byLabel[t.Y[i]], i)
	}
	labels := make([]float64, 0, len(byLabel))
	for y := range byLabel {
		labels = append(labels, y)
	}
	slices.Sort(labels)
	strata := make([][]int32, len(labels))
	for c, y := range labels {
		strata[c] = byLabel[y]
	}
	return strata
}

// apportion sets dst to whole shares of total in proportion to sizes: the
// exact shares rounded down, then one more for the largest remainders, ties
// to the first. total must not exceed the sum of sizes, so that no share
// exceeds its size.
func apportion(dst, sizes []int, total int) {
	sum := 0
	for _, s := range sizes {
		sum += s
	}
	if len(dst) != len(sizes) || total < 0 || total > sum {
		panic("dataset: no such apportionment")
	}
	if sum == 0 {
		return
	}
	order, left := make([]int, len(sizes)), total
	for c, s := range sizes {
		order[c] = c
		dst[c] = s * total / sum
		left -= dst[c]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(sizes[b]*total%sum, sizes[a]*total%sum)
	})
	for _, c := range order[:left] {
		dst[c]++
	}
}

// sequence returns from, from+1, ..., to-1.
func sequence(from, to int) []int32 {
	s := make([]int32, to-from)
	for i := range s {
		s[i] = int32(from + i)
	}
	return s
}

// shuffle puts rows in random order.
func shuffle(rows []int32, rng *rand.Rand) {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}
