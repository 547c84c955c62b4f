package federation

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// persons makes all rows of a person the unit of a spec's text that records has made one of rows.
func persons(text string, rows int) string {
	return strings.Replace(text, "data: {", fmt.Sprintf("data: {person: id, rows_per_person: %d, ", rows), 1)
}

// visits are the rows of patients as visits of persons: the first has five rows, the second one, and so on.
func visits(seed uint64) (text string, people int) {
	lines, left := strings.Split(strings.TrimSpace(patients(seed)), "\n"), 0
	text = "id," + lines[0] + "\n"
	for _, line := range lines[1:] {
		if left == 0 {
			left = []int{5, 1, 2}[people%3]
			people++
		}
		left--
		text += fmt.Sprintf("p%d,%s\n", people, line)
	}
	return text, people
}

// A plan of persons loses what one of as many rows does, however many rows each person has, and says what is protected.
func TestPlanOfPersons(t *testing.T) {
	rows := records(ringText(t, five, strings.Replace(terms, "release: final", "accountant: local", 1)), 500, 100, 50, 20, 1000)
	want := plan(t, open(t, parse(t, rows), "nice"))
	for _, most := range []int{1, 4} {
		p := plan(t, open(t, parse(t, persons(rows, most)), "nice"))
		if math.Abs(p.Local-want.Local) > 1e-6*want.Local || p.Rows != want.Rows || p.Record != fmt.Sprintf("all rows of one patient, at most %d", most) {
			t.Errorf("at most %d rows of each: %v towards all, of rows %v; %d of %q", most, p.Local, want.Local, p.Rows, p.Record)
		}
		if all := strings.Join(p.Assumptions, "\n"); !strings.Contains(all, "who has two such values, or rows at two participants") {
			t.Error(all)
		}
		if err := p.ForRows(3); err == nil || !strings.Contains(err.Error(), "--rows-each") {
			t.Errorf("three rows: %v", err)
		}
	}
}

// A run of real nodes on visits: who has fewer persons than it declares does not take part, and what was read, learnt from and left
// out is said, and stands in plan, statement, page and model.
func TestRunsWithPersonsAsTheUnit(t *testing.T) {
	if testing.Short() {
		t.Skip("three nodes on real connections")
	}
	s := newStage(t, strings.Replace(quick, "kind: walk, steps: 60, step_size: 0.1, clip: 0.2, contributions: 30",
		"kind: walk, steps: 30, step_size: 0.1, clip: 0.2, contributions: 12", 1))
	text, err := s.spec.YAML()
	if err != nil {
		t.Fatal(err)
	}
	_, people := visits(0)
	declared := strings.NewReplacer("unit: participant", "unit: record", "split: class\n", "", "fill: true\n", "fill: false\n", "source: csv\n", "source: csv\n  person: id\n  rows_per_person: 2\n").Replace(string(text))
	for i, name := range s.names {
		table, _ := visits(uint64(i))
		if err := os.WriteFile(s.file(name), []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		declared = strings.Replace(declared, "- name: "+name+"\n", fmt.Sprintf("- name: %s\n  rows: %d\n", name, people), 1)
	}
	s.unit = "unit: record\n"
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.spec = parse(t, strings.Replace(declared, fmt.Sprintf("rows: %d\n", people), fmt.Sprintf("rows: %d\n", people+1), 1))
	if _, err := s.join(ctx, s.names[0]); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d persons are fewer than the %d", people, people+1)) {
		t.Fatal(err)
	}
	s.spec = parse(t, declared)
	const protected = "all rows of one person, at most 2"
	for _, o := range s.all(ctx) {
		var shown strings.Builder
		if err := o.Statement.Print(&shown); err != nil || !o.Ended {
			t.Fatalf("%s ended %v: %v", o.Name, o.Ended, err)
		}
		if !strings.Contains(shown.String(), "Protected is "+protected) || !strings.Contains(strings.Join(o.Limited, "\n"), "rows beyond 2 of a person") {
			t.Errorf("%s: %s, limited %q", o.Name, shown.String(), o.Limited)
		}
		for _, file := range []string{"model.json", PageFile} {
			text, err := os.ReadFile(filepath.Join(o.Folder, file))
			if err != nil || !strings.Contains(string(text), protected) {
				t.Errorf("%s of %s does not say what is protected: %v", file, o.Name, err)
			}
		}
	}
}
