package federation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// A table with text columns and gaps is read by constants of the spec, which are in
// the hash that all agree on, in what the operator is told, and in the model's recipe.
func TestTablesWithTextAndGaps(t *testing.T) {
	const data = "ranges: {age: [0, 100], weight: [40, 140]}"
	text := strings.Replace(terms, data, data+", categories: {sex: [f, m], ward: [1, 2]}, fill: {age: 50, sex: f}, missing: drop", 1)
	f := open(t, ring(t, five, text), "lyon")
	if f.Params() != 7 || !slices.Equal(f.Features(), []string{"age", "sex=f", "sex=m", "ward=1", "ward=2", "weight"}) {
		t.Fatalf("%d parameters of %v", f.Params(), f.Features())
	}
	path := filepath.Join(t.TempDir(), "lyon.csv")
	if err := os.WriteFile(path, []byte("sex,age,weight,ward,ill\nf,1,50,2,no\n,n/a,60,1,yes\nm,3,,1,no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shard, err := f.Read(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(limited(shard, dataset.Persons{}), "; ")
	if shard.Train.Rows() != 2 || said != "rows left out for a missing value: 1; column sex: missing values filled in as the spec says: 1; "+
		"column age: missing values filled in as the spec says: 1" {
		t.Errorf("%d rows; %s", shard.Train.Rows(), said)
	}
	m := f.setup.Recipe()
	if !slices.Equal(m.Categories["ward"], []string{"1", "2"}) || m.Fill["age"] != "50" || m.Fill["sex"] != "f" {
		t.Errorf("the recipe has categories %v and fills %v", m.Categories, m.Fill)
	}
	for _, change := range []string{"[f, m]", "sex: f}", "missing: drop"} {
		to := map[string]string{"[f, m]": "[m, f]", "sex: f}": "sex: m}", "missing: drop": "missing: error"}[change]
		if open(t, ring(t, five, strings.Replace(text, change, to, 1)), "lyon").Hash == f.Hash {
			t.Errorf("%s and %s have the same hash", change, to)
		}
	}
}

// A participant whose file is written otherwise than others' says so for itself: the spec keeps its hash, the rows are read as
// they are meant, and its own model takes 999 for no value, as its rows did.
func TestAParticipantsOwnNotation(t *testing.T) {
	text := strings.Replace(terms, "data: {", "data: {missing: drop, ", 1)
	f, other := open(t, ring(t, five, text), "lyon"), open(t, ring(t, five, text), "lyon")
	f.Written(textfile.Notation{Separator: ";", Decimal: ",", Missing: []string{"999"}})
	path := filepath.Join(t.TempDir(), "lyon.csv")
	if err := os.WriteFile(path, []byte("age;weight;ill\n1,5;50;no\n999;60;yes\n3;70,25;no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shard, err := f.Read(path, 0)
	if err != nil || shard.Train.Rows() != 2 || shard.Dropped != 1 || f.Hash != other.Hash {
		t.Fatalf("%+v, %v", shard, err)
	}
	if _, err := other.Read(path, 0); err == nil || !strings.Contains(fault.Hint(err), "--separator ';'") {
		t.Errorf("read as the spec says: %v (%s)", err, fault.Hint(err))
	}
	own, usual := f.recipe(), other.recipe()
	if own.Table == nil || !slices.Equal(own.Table.Missing, []string{"999"}) || !own.Later() || usual.Table != nil || usual.Later() {
		t.Errorf("the recipe says %+v, that of others %+v", own.Table, usual.Table)
	}
}

// What would need somebody's data is refused with what to write instead.
func TestRecipesOfDataAreRefused(t *testing.T) {
	for what, hint := range map[string]string{"missing: mean": "use drop", "fill: {age: [1]}": "a number or a text in quotes", "fill: {height: 3}": "age, weight",
		"categories: {sex: []}": "list the values"} {
		text := "participants: [{name: a, key: k, edges: [b]}, {name: b, key: k2, edges: [a]}]\n" + strings.Replace(terms, "data: {", "data: {"+what+", ", 1)
		s, err := experiment.Parse([]byte(text), "test.yaml")
		if err == nil {
			_, err = Open(t.Context(), s, "a")
		}
		if err == nil || !strings.Contains(fault.Hint(err), hint) {
			t.Errorf("%s: %v (%s)", what, err, fault.Hint(err))
		}
	}
}
