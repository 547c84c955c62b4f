package papers

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/spec"
)

// A study is found by words of its title, its source or the paper's name, where they are
// in one study only.
func TestStudiesAreFoundByWords(t *testing.T) {
	for words, want := range map[string]string{"muffliato one user": "002-figure-6.1b", "thesis table c.2": "002-table-c.2", "HOUSES accountant": "houses-accountants"} {
		if s, err := Find(words); err != nil || s.ID != want {
			t.Errorf("%q finds %s, %v", words, s.ID, err)
		}
	}
	for words, want := range map[string]string{
		"muffliato figure 1": " 002-figure-6.1a 002-figure-6.1b 002-figure-6.1c", "thesis Table A.1": " 002-table-a.1", "000 figure 8": " 000-figure-8", "000 figure 6": " 000-figure-6",
		"differentially figure 2": " 000-figure-2-eps-1 000-figure-2-eps-10", "thesis figure 4.4": " 002-figure-4.6 002-figure-4.4b", "muffliato fig 1b": " 002-figure-6.1b",
	} {
		if found, err := Choose(words); err != nil || listed(found) != want {
			t.Errorf("%q finds%s, %v", words, listed(found), err)
		}
	}
	if _, err := Find("figure 6.1"); err == nil || !strings.Contains(err.Error(), "is in 3 studies") {
		t.Errorf("words of several studies: %v", err)
	}
	if len(Search()) != len(All()) {
		t.Error("no word is not in every study")
	}
}

// Every variant of every study is a spec that reads back from its own text.
func TestEveryVariantIsAValidSpec(t *testing.T) {
	for _, s := range All() {
		if found, err := Find(s.ID); err != nil || found.Title != s.Title {
			t.Errorf("%s is not found: %v", s.ID, err)
		}
		names := map[string]bool{}
		for _, v := range s.Variants {
			made, err := s.Spec(v, "data")
			if err != nil {
				t.Fatalf("%s: %v", v.Name, err)
			}
			text, err := made.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := experiment.Parse(text, v.Name); err != nil {
				t.Errorf("%v in\n%s", err, text)
			}
			if names[v.Name] {
				t.Errorf("%s has two variants called %q", s.ID, v.Name)
			}
			names[v.Name] = true
		}
	}
}

func TestUnknownStudyNamesTheKnownOnes(t *testing.T) {
	_, err := Find("000-table-9")
	if err == nil || !strings.Contains(fault.Hint(err), "000-table-1") {
		t.Errorf("error %v, hint %q", err, fault.Hint(err))
	}
}

// A cut-down Table 1 (two trials, one graph) runs, learns, and its table puts the paper's number beside ours.
func TestTable1SmallVersion(t *testing.T) {
	data := housesData(t)
	study := table1()
	exponential := study.Variants[5] // mean loss 2
	change := exponential.change
	exponential.change = func(s *spec.Spec) { change(s); s.Trials = 2 }
	study.Variants = []Variant{exponential}
	outcomes, err := study.Run(context.Background(), data, func(Outcome) {})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := outcomeTable(outcomes).WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][3] != "0.937" {
		t.Fatalf("%v, %v", rows, err)
	}
	// Accuracy over a trial has standard deviation 0.018 (60 trials): below 0.8
	// is eleven standard errors off the mean of 0.943.
	if mean, _ := outcomes[0].Accuracy(); mean < 0.8 || math.IsNaN(mean) {
		t.Errorf("accuracy %g, the paper has 0.937", mean)
	}
	var figure bytes.Buffer
	if err := study.WriteChart(&figure, outcomes); err != nil || !strings.Contains(figure.String(), "exponential, mean loss 2") {
		t.Errorf("figure: %v", err)
	}
}

func TestSpans(t *testing.T) {
	for want, numbers := range map[string][]int{"none": nil, "1": {1}, "1, 2": {1, 2}, "1-6, 8, 10-12": {1, 2, 3, 4, 5, 6, 8, 10, 11, 12}} {
		if got := spans(numbers); got != want {
			t.Errorf("%v are %s", numbers, got)
		}
	}
}
