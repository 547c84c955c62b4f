package dataset

import (
	"slices"
)

// A Summary holds the facts about a table that `data info` prints.
type Summary struct {
	Source   string         `json:"source"`
	Target   string         `json:"target"`
	Task     Task           `json:"task"`
	Rows     int            `json:"rows"`
	OwnTest  int            `json:"own_test"` // rows of them that are the source's own test part
	Features []FeatureRange `json:"features"`
	Label    FeatureRange   `json:"label"`
	Classes  []ClassCount   `json:"classes"` // null for a regression
	Group    string         `json:"group"`   // "" without natural groups
	Groups   []GroupCount   `json:"groups"`
	Missing  []Missing      `json:"missing"`
	Dropped  int            `json:"dropped"` // rows left out for a missing value
	Files    []FileState    `json:"files"`
	Notes    []string       `json:"notes"`
}

// FeatureRange describes a column.
type FeatureRange struct {
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// ClassCount counts the rows with a label.
type ClassCount struct {
	Label   float64 `json:"label"`
	Meaning string  `json:"meaning"`
	Rows    int     `json:"rows"`
}

// GroupCount counts the rows of a natural group, and by class in the order
// of Summary.Classes.
type GroupCount struct {
	Name    string `json:"name"`
	Rows    int    `json:"rows"`
	Classes []int  `json:"classes"`
}

// FileState is a file and whether its bytes are those of a published one.
type FileState struct {
	FileRead
	State KnownState `json:"state"`
}

// Describe summarises a table.
func Describe(t *Table) Summary {
	s := Summary{Source: t.Source, Target: t.Target, Task: t.Task, Rows: t.Rows(), OwnTest: t.OwnTest,
		Features: columnRanges(t.Features, t.X), Label: columnRanges([]string{t.Target}, t.Y)[0],
		Group: t.Group, Groups: []GroupCount{}, Missing: append([]Missing{}, t.Missing...),
		Dropped: t.Dropped, Notes: append([]string{}, t.Notes...)}
	s.countLabels(t)
	for _, f := range t.Files {
		_, state := Recognise(f)
		s.Files = append(s.Files, FileState{f, state})
	}
	return s
}

// columnRanges describes the columns of row-major x.
func columnRanges(names []string, x []float64) []FeatureRange {
	d := len(names)
	ranges := make([]FeatureRange, d)
	for j, name := range names {
		ranges[j] = FeatureRange{Name: name, Min: x[j], Max: x[j]}
	}
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			r := &ranges[j]
			r.Min, r.Max = min(r.Min, v), max(r.Max, v)
			r.Mean += v
		}
	}
	for j := range ranges {
		ranges[j].Mean /= float64(len(x) / d)
	}
	return ranges
}

// countLabels counts classes, alone and within groups.
func (s *Summary) countLabels(t *Table) {
	for _, name := range t.GroupNames {
		s.Groups = append(s.Groups, GroupCount{Name: name, Classes: make([]int, len(t.Classes))})
	}
	for _, g := range t.Groups {
		s.Groups[g].Rows++
	}
	for c, meaning := range t.Classes {
		s.Classes = append(s.Classes, ClassCount{Label: labelOf(c, len(t.Classes)), Meaning: meaning})
	}
	for i, y := range t.Y {
		c := slices.IndexFunc(s.Classes, func(k ClassCount) bool { return k.Label == y })
		if c < 0 {
			continue
		}
		s.Classes[c].Rows++
		if t.Groups != nil {
			s.Groups[t.Groups[i]].Classes[c]++
		}
	}
}

// labelOf returns the label of class c of k: -1 and +1 for two, c for more.
func labelOf(c, k int) float64 {
	if k == 2 {
		return float64(2*c - 1)
	}
	return float64(c)
}
