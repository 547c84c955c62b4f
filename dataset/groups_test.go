package dataset

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The stand-in has the shape of the heart data and is the same every time; a hospital's
// file is read back by its federation as it was written.
func TestStandInHeart(t *testing.T) {
	o, err := Defaults("heart")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Load(o)
	again, errAgain := Load(o)
	if err != nil || errAgain != nil {
		t.Fatal(err, errAgain)
	}
	if !slices.Equal(table.X, again.X) || !slices.Equal(table.Y, again.Y) || !strings.Contains(strings.Join(table.Notes, " "), "stand-in") {
		t.Errorf("two stand-ins differ, or are not said to be any: %v", table.Notes)
	}
	rows := make([]int, 4)
	for _, g := range table.Groups {
		rows[g]++
	}
	if !slices.Equal(rows, []int{303, 261, 46, 130}) || len(table.Features) != 10 {
		t.Fatalf("%v rows of %v", rows, table.Features)
	}
	shape := Shape{Target: "num", Task: Classification, Classes: table.Classes, Ranges: map[string][2]float64{}, ByIndex: true}
	for _, name := range table.Features {
		shape.Ranges[name] = [2]float64{-1000, 1000}
	}
	for g, n := range rows {
		var text bytes.Buffer
		if err := table.WriteGroup(&text, g, nil); err != nil {
			t.Fatal(err)
		}
		shard, err := shape.ReadShard(&text, "hospital.csv", 0, 1, 0)
		if err != nil || shard.Train.Rows() != n || len(shard.Limited) > 0 {
			t.Fatalf("%s: %v, %d rows", table.GroupNames[g], err, shard.Train.Rows())
		}
		sum, want := 0.0, 0.0
		for _, y := range shard.Train.Y {
			sum += y
		}
		for i, y := range table.Y {
			if int(table.Groups[i]) == g {
				want += y
			}
		}
		if sum != want {
			t.Errorf("%s: labels add up to %v, want %v", table.GroupNames[g], sum, want)
		}
	}
	if err := table.WriteGroup(&bytes.Buffer{}, 4, nil); err == nil {
		t.Error("a fifth hospital")
	}
}

// By place, the rows kept for testing do not depend on what is in any row, and each
// hospital keeps the same number whatever the seed.
func TestSplitByIndexLooksAtNoRow(t *testing.T) {
	o, err := Defaults("heart")
	if err != nil {
		t.Fatal(err)
	}
	o.Nodes, o.Scale, o.Split = 4, "none", "index"
	table, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	other := *table
	other.Y = slices.Clone(table.Y)
	for i := range other.Y {
		other.Y[i] = -other.Y[i]
	}
	offsets := []int(nil)
	for seed := range uint64(5) {
		one, err := Federate(table, o, seed)
		two, errTwo := Federate(&other, o, seed)
		if err != nil || errTwo != nil {
			t.Fatal(err, errTwo)
		}
		if offsets == nil {
			offsets = one.Shards.Offsets
		}
		if !slices.Equal(one.Shards.X, two.Shards.X) || !slices.Equal(one.Test.X, two.Test.X) || !slices.Equal(one.Shards.Offsets, offsets) {
			t.Errorf("seed %d: other labels, another split, or other numbers of rows", seed)
		}
	}
}
