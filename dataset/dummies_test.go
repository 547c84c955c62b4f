package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

var heartKinds = map[string][]string{"cp": {"1", "2", "3", "4.0"}, "restecg": {"0", "1", "2"}}

// Kinds of chest pain and of electrocardiograms are features of their own, in the
// hospitals' files ("1" in one, "1.0" in another) and in the stand-in.
func TestHeartCategories(t *testing.T) {
	o, err := Defaults("heart")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "data/heart"} {
		if path != "" {
			path = testdata.Shared(t, path)
		}
		o.Path, o.Categories = path, nil
		plain := load1(t, o)
		o.Categories = heartKinds
		wide := load1(t, o)
		want := strings.Fields("age sex cp=1 cp=2 cp=3 cp=4.0 trestbps chol fbs restecg=0 restecg=1 restecg=2 thalach exang oldpeak")
		if !slices.Equal(wide.Features, want) || wide.Rows() != plain.Rows() || len(wide.X) != wide.Rows()*len(want) {
			t.Fatalf("%d rows, features %v", wide.Rows(), wide.Features)
		}
		for i := range plain.Rows() {
			kind := wide.Row(i)[2:6]
			if sum := kind[0] + kind[1] + kind[2] + kind[3]; sum != 1 || kind[int(plain.Row(i)[2])-1] != 1 {
				t.Fatalf("row %d: chest pain %v became %v", i, plain.Row(i)[2], kind)
			}
			if wide.Row(i)[6] != plain.Row(i)[3] || wide.Row(i)[14] != plain.Row(i)[9] {
				t.Fatalf("row %d: %v became %v", i, plain.Row(i), wide.Row(i))
			}
		}
	}
}

// Every row kept for testing has the hospital it comes from, and each hospital its share.
func TestTestRowsHaveGroups(t *testing.T) {
	o, err := Defaults("heart")
	if err != nil {
		t.Fatal(err)
	}
	o.Nodes, o.Test, o.Split, o.Scale, o.Normalise = 4, 0.34, "index", "none", "none"
	f, err := Build(o, 3)
	if err != nil {
		t.Fatal(err)
	}
	count := make([]float64, 4)
	for i, g := range f.TestGroups {
		count[g]++
		if unmeasured := f.Test.X[i*f.Test.Features+4] == 0; g == 2 && !unmeasured { // the stand-in's switzerland measures no cholesterol
			t.Errorf("test row %d has cholesterol, and is said to come from switzerland", i)
		}
	}
	for g, rows := range []float64{303, 261, 46, 130} {
		if math.Abs(count[g]-0.34*rows) > 1 {
			t.Errorf("hospital %d has %g of %g rows for testing", g, count[g], rows)
		}
	}
}

func TestHeartCategoriesRefused(t *testing.T) {
	for want, categories := range map[string]map[string][]string{
		"cp is 4 in a row":    {"cp": {"1", "2", "3"}},
		`no column "slope"`:   {"slope": {"1", "2"}},
		"not a number":        {"cp": {"none", "1"}},
		"there twice":         {"sex": {"0", "1", "1.0"}},
		`categories of "sex"`: {"sex": {}},
		`no column "num"`:     {"num": {"0", "1"}},
	} {
		o, err := Defaults("heart")
		if err != nil {
			t.Fatal(err)
		}
		o.Categories = categories
		if _, err := Load(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", categories, err, want)
		}
		o.Nodes = 4
		if _, err := Build(o, 1); err == nil {
			t.Errorf("%v is federated", categories)
		}
	}
}
