package trained_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/trained"
)

// fewRows are the first 40 rows of the table.
func fewRows(t *testing.T, m *trained.Model) *dataset.Sheet {
	layout := m.Layout()
	sheet, err := layout.Read(strings.NewReader(strings.Join(strings.SplitAfter(rows(), "\n")[:41], "")), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	return sheet
}

// A model of every kind is fitted at home; its file is read again, predicts, and claims nothing of the joint model's.
func TestEveryKindIsFittedAtHome(t *testing.T) {
	all := models(t)
	for _, name := range []string{"logistic", "no intercept", "multinomial", "ridge", "absolute", "hinge"} {
		m := all[name]
		sheet := fewRows(t, m)
		p, err := m.Personalise(t.Context(), sheet, "rows.csv", nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Rows != 38 || p.Left != 2 || p.Parts != 10 || p.Joint.Rows != 38 || p.Advice() == "" {
			t.Errorf("%s: %+v", name, p)
		}
		text, err := json.Marshal(p.File)
		if err != nil {
			t.Fatal(err)
		}
		again, err := trained.Read(text, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := again.File
		if f.Charged || f.Home == nil || f.Home.Rows != 38 || f.Claim.Status != report.Unclaimed || f.Claim.Epsilon.Finite() || f.Claim.Sigma != 0 || !strings.Contains(f.Notice, "show it to nobody") {
			t.Errorf("%s: %+v, %q", name, f.Claim, f.Notice)
		}
		if before, after := m.Score(sheet), again.Score(sheet); !(after.Loss <= before.Loss) {
			t.Errorf("%s: loss %g on the rows that were fitted, %g before", name, after.Loss, before.Loss)
		}
		if m.File.Home != nil || !m.File.Claim.Epsilon.Finite() {
			t.Errorf("%s: the joint model has changed", name)
		}
		onnx, err := again.ONNX()
		if err != nil || !strings.Contains(string(onnx), "show it to nobody") || strings.Contains(string(onnx), "epsilon") {
			t.Errorf("%s: ONNX: %v", name, err)
		}
		if _, err := again.Personalise(t.Context(), sheet, "rows.csv", nil); err == nil || fault.Hint(err) == "" {
			t.Errorf("%s: fitted twice: %v", name, err)
		}
	}
}

// Where labels say nothing, choosing on other rows is no better than any choice; the score on rows that no fit has seen shows it.
func TestScoresAtHomeAreOfUnseenRows(t *testing.T) {
	m, rng := models(t)["no intercept"], rand.New(rand.NewPCG(9, 9))
	var table strings.Builder
	table.WriteString("age,colour,\"weight, kg\",old\n")
	for range 60 {
		fmt.Fprintf(&table, "%v,%s,%v,%v\n", 10*rng.Float64(), []string{"red", "green", "blue"}[rng.IntN(3)], 30+40*rng.Float64(), rng.IntN(2) == 0)
	}
	layout := m.Layout()
	sheet, err := layout.Read(strings.NewReader(table.String()), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Personalise(t.Context(), sheet, "t.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	if *p.Home.Accuracy > 0.7 { // 3 deviations above a half
		t.Errorf("labels are coins, and %g are right", *p.Home.Accuracy)
	}
}
