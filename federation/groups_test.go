package federation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Test rows are scored by the values of a public column, each row in one group, groups of few rows not at all; a column that is
// none is refused before anything runs.
func TestScoresByGroup(t *testing.T) {
	s := ring(t, five, strings.NewReplacer("weight: [40, 140]}", "weight: [40, 140]}, categories: {sex: [f, m, x]}").Replace(terms))
	f := open(t, s, "lyon")
	text := "age,weight,sex,ill\n"
	for i := range 100 {
		text += fmt.Sprintf("%d,%d,%s,%s\n", i, 40+i, []string{"f", "m", "f", "x"}[min(3, i%33)%4], []string{"no", "yes"}[i%2])
	}
	path := filepath.Join(t.TempDir(), "lyon.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	shard, err := f.Read(path, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{parameters: make([]float64, f.Params())}
	sum := 0
	for _, g := range f.byGroup(m, shard.Test, "sex") {
		if sum += g.Rows; (g.Accuracy == nil) != (g.Rows < leastOfGroup) {
			t.Errorf("%+v", g)
		}
	}
	if sum != shard.Test.Rows() {
		t.Errorf("%d rows in groups of %d", sum, shard.Test.Rows())
	}
	for column, want := range map[string]string{"age": "no column with categories", "ill": "no column with categories", "other": "no column with categories"} {
		if err := f.checkBy(column); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", column, err)
		}
	}
	if f.checkBy("sex") != nil || f.checkBy("") != nil {
		t.Error("a column with categories is refused")
	}
}
