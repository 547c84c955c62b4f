package papers

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// aStudy answers at once: one claim of each verdict.
func aStudy() Study {
	return Study{
		ID: "toy", Title: "A <toy>", Source: "ours", differs: map[string]string{"differs": "it is known why"},
		compute: func(context.Context, string, func(string)) (*Findings, error) {
			return &Findings{
				Tables: []Table{{Name: "table", Header: []string{"a & b"}, Rows: [][]string{{"<1>"}}}},
				Charts: []Chart{{Name: "chart", Panels: []Panel{{Title: "curve", Lines: []Line{{Name: "line", X: []float64{1, 2}, Y: []float64{1, 2}}}}}}},
				Checks: []Check{
					{"comes out", AsPublished, true, "1"}, {"differs", AsPublished, false, "2"}, {"differs not", AsRecorded, true, "3"},
					{"is true", WhatIsTrue, true, "4"}, {"is not true", TrueAtDelta, false, "5"},
				},
			}, nil
		},
	}
}

// A claim of a paper passes, differs for a known reason, or fails; what is true of it is
// neither.
func TestVerdicts(t *testing.T) {
	s := aStudy()
	r, err := s.Make(t.Context(), "", false, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	worst, count := r.Judge()
	if worst != Differs || count[Pass] != 2 || count[Differs] != 1 || count[Stands] != 1 || count[Falls] != 1 || count[Fail] != 0 || s.Failed(r.Findings) != nil {
		t.Errorf("%s, %v, failed %q", worst, count, s.Failed(r.Findings))
	}
	r.study.differs = nil
	if worst, _ = r.Judge(); worst != Fail || len(r.study.Failed(r.Findings)) != 1 {
		t.Errorf("without its reason a claim that does not come out is %s", worst)
	}
	if v := (Entry{Study: s}).Verdict(); v != Skipped {
		t.Errorf("a study that did not run is %s", v)
	}
	if v := (Entry{Study: s, Why: "no", Broken: true}).Verdict(); v != Fail {
		t.Errorf("a study that broke is %s", v)
	}
}

// A record comes back under its key, and under no other; a folder that was not written to
// its end has none.
func TestARecordComesBackUnderItsKey(t *testing.T) {
	s, folder := aStudy(), filepath.Join(t.TempDir(), "toy")
	if s.Recall(folder, "k") != nil {
		t.Error("a record from nowhere")
	}
	r, err := s.Make(t.Context(), "", true, func(string) {})
	if err == nil {
		t.Fatal("a study without a quick version had one: ", r)
	}
	if r, err = s.Make(t.Context(), "", false, func(string) {}); err != nil {
		t.Fatal(err)
	}
	r.Key = "k"
	if err := r.Write(folder); err != nil {
		t.Fatal(err)
	}
	again := s.Recall(folder, "k")
	if again == nil || s.Recall(folder, "l") != nil {
		t.Fatal("not under its key alone")
	}
	var first, second bytes.Buffer
	if err := r.writePage(&first); err != nil {
		t.Fatal(err)
	}
	if err := again.writePage(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("another page from what was kept: %v", err)
	}
	for _, want := range []string{"A &lt;toy&gt;", "&lt;1&gt;", "it is known why", "<svg", "does not stand"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, recordFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.Recall(folder, "k") != nil {
		t.Error("a record that is cut off counts")
	}
}

// What spans studies names each, links those that ran, and says why others did not.
func TestIndexAndSummary(t *testing.T) {
	s := aStudy()
	r, err := s.Make(t.Context(), "", false, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	other := aStudy()
	other.ID = "other"
	entries := []Entry{{Study: s, Record: r}, {Study: other, Why: "no data"}}
	var page, text bytes.Buffer
	if err := WriteIndex(&page, entries); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummary(&text, entries, "hearsay"); err != nil {
		t.Fatal(err)
	}
	overview := "2 studies: 1 DIFFERS, 1 skipped. Of 3 claims, as published or as recorded here before, 2 come out; " +
		"of 2 that are asked of losses that are proved 1 stand."
	for _, want := range []string{`href="toy/index.html"`, "no data", "2 of 3", "1 of 2", overview, "a reason that is known", "(thesis, 2024)"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the index has no %q", want)
		}
	}
	if strings.Contains(page.String(), `href="other`) {
		t.Error("a link to what is not there")
	}
	for _, want := range []string{overview, "| toy |", "| other |", "**DIFFERS** (2): it is known why", "skipped"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the summary has no %q", want)
		}
	}
}

// Every study has a quick version, of runs or of something else.
func TestEveryStudyHasAQuickVersion(t *testing.T) {
	for _, s := range All() {
		if q := s.Quick(); q.compute == nil && len(q.Variants) == 0 {
			t.Errorf("%s has none", s.ID)
		}
	}
}
