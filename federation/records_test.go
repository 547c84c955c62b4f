package federation

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
)

// records makes one record the unit of a spec's text, of participants with so many rows.
func records(text string, rows ...int) string {
	for _, n := range rows {
		text = strings.Replace(text, ", key: ", fmt.Sprintf(", rows: %d, KEY: ", n), 1)
	}
	text = strings.ReplaceAll(text, "KEY: ", "key: ")
	return strings.Replace(text, "privacy: {", "privacy: {unit: record, record_name: patient, ", 1)
}

// Who declares fewer rows loses more of each, at the noise of all; the price of the
// grid is in it; a policy about participants refuses, one about records weighs it.
func TestRecordsOfAFederation(t *testing.T) {
	if testing.Short() {
		t.Skip("prices plans one after the other: run without the race detector")
	}
	rows := []int{500, 100, 50, 20, 1000}
	for _, terms := range []string{
		terms, strings.Replace(terms, "release: final", "accountant: local", 1),
		strings.Replace(strings.Replace(terms, ", release: final", "", 1), "kind: walk, steps: 50, step_size: 0.1, clip: 0.5, contributions: 20",
			"kind: gossip-gd, steps: 10, step_size: 0.1, clip: 0.5", 1),
	} {
		text := records(ringText(t, five, terms), rows...)
		s := parse(t, text)
		std := 0.0
		for i, name := range five {
			f := open(t, s, name)
			p := plan(t, f)
			learnt := float64(rows[i] - int(math.Round(0.2*float64(rows[i]))))
			if std == 0 {
				std = f.Noise.Std
			}
			exact := privacy.EpsilonGaussian(math.Sqrt(float64(p.Contributions))*2*f.Noise.Clip/learnt/std, 1e-6)
			if f.Noise.Std != std || p.Unit != privacy.Record || p.Record != "one patient's row" || float64(p.Rows) != learnt ||
				!(p.Local >= exact && p.Local <= exact*1.001) {
				t.Errorf("%s: noise %v of %v, unit %s, %q, %d rows, local loss %v of at least %v", name, f.Noise.Std, std, p.Unit, p.Record, p.Rows, p.Local, exact)
			}
			for _, to := range p.Towards {
				if to.Epsilon > p.Local*(1+1e-6) || !(to.Epsilon > 0) {
					t.Errorf("%s towards %s: %v, local %v", name, to.Name, to.Epsilon, p.Local)
				}
			}
			if !strings.HasPrefix(p.Assumptions[0], "unit of privacy: record") {
				t.Errorf("%s: %s", name, p.Assumptions[0])
			}
			var shown strings.Builder
			if err := p.Print(&shown); err != nil || !strings.Contains(shown.String(), "Protected is one patient's row") {
				t.Errorf("%v: %s", err, shown.String())
			}
			for unit, refused := range map[string]bool{"": true, "unit: participant\n": true, "unit: record\n": false} {
				own, err := policy.Parse([]byte(unit+"delta: 1.0e-6\nepsilon: {neighbours: 100, others: 100}\n"), "policy.yaml")
				if err != nil {
					t.Fatal(err)
				}
				if objections := p.Objections(own); (len(objections) == 1 && objections[0].Key == "unit") != refused || !refused && len(objections) > 0 {
					t.Errorf("%q: %v", unit, objections)
				}
			}
		}
	}
}

// A person with several rows loses more than as many times as much as one row, towards each and towards all together: what the
// same plan says at as many times less noise.
func TestSeveralRowsOfAParticipant(t *testing.T) {
	s := parse(t, records(ringText(t, five, strings.Replace(terms, "release: final", "accountant: local", 1)), 500, 100, 50, 20, 1000))
	p, err := open(t, s, five[1]).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.ForRows(3); err != nil {
		t.Fatal(err)
	}
	if want := p.local(p.Contributions, p.Sigma/3, p.Delta); p.SeveralRows.Local != want || want < 3*p.Local {
		t.Errorf("three rows lose %v towards all together, want %v, more than three times %v", p.SeveralRows.Local, want, p.Local)
	}
	for i, to := range p.SeveralRows.Towards {
		if to.Name != p.Towards[i].Name || to.Epsilon < 3*p.Towards[i].Epsilon || to.Epsilon > p.SeveralRows.Local*(1+1e-9) {
			t.Errorf("towards %s %v, of one row %v towards %s", to.Name, to.Epsilon, p.Towards[i].Epsilon, p.Towards[i].Name)
		}
	}
	var shown strings.Builder
	if err := p.Print(&shown); err != nil || !strings.Contains(shown.String(), "A person with 3 rows here") {
		t.Errorf("%v: %s", err, shown.String())
	}
	if err := p.ForRows(1); err == nil {
		t.Error("one row is several")
	}
}

// Without rows a spec of records is refused, and with them one of participants.
func TestRowsAreDeclaredForRecords(t *testing.T) {
	for _, text := range []string{
		records(ringText(t, five, terms), 50, 50, 50, 50),
		strings.Replace(records(ringText(t, five, terms), 50, 50, 50, 50, 50), "unit: record, record_name: patient, ", "", 1),
		records(ringText(t, five, terms), 50, 50, -1, 50, 50),
	} {
		if _, err := parseText(text); err == nil || !strings.Contains(err.Error(), "rows") || fault.Hint(err) == "" {
			t.Errorf("%v (%s)", err, fault.Hint(err))
		}
	}
}

// A participant with fewer rows than it declares does not take part. With as many the run
// ends, and the ledger counts each contribution once, whatever its share.
func TestRunsWithRecordsAsTheUnit(t *testing.T) {
	if testing.Short() {
		t.Skip("three nodes on real connections")
	}
	s := newStage(t, strings.Replace(quick, "kind: walk, steps: 60, step_size: 0.1, clip: 0.2, contributions: 30",
		"kind: walk, steps: 30, step_size: 0.1, clip: 0.2, contributions: 12", 1))
	text, err := s.spec.YAML()
	if err != nil {
		t.Fatal(err)
	}
	declared := strings.Replace(string(text), "unit: participant", "unit: record", 1)
	for i, name := range s.names {
		declared = strings.Replace(declared, "- name: "+name+"\n", fmt.Sprintf("- name: %s\n  rows: %d\n", name, []int{50, 30, 45}[i]), 1)
	}
	declared = strings.Replace(declared, "split: class\n", "", 1)
	declared = strings.Replace(declared, "fill: true\n", "fill: false\n", 1)
	s.spec = parse(t, declared)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	few := s.options("nice")
	few.Policy, err = policy.Parse([]byte("unit: record\ndelta: 1.0e-6\nepsilon: {neighbours: 100, others: 100}\n"), "policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	few.Data = s.file("few")
	lines := strings.SplitAfter(patients(9), "\n")
	if err := os.WriteFile(few.Data, []byte(strings.Join(lines[:1+29], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, s.spec, "nice").Join(ctx, few); err == nil || !strings.Contains(err.Error(), "29 rows are fewer than the 30") {
		t.Fatalf("%v", err)
	}
	s.unit = "unit: record\n"
	for _, o := range s.all(ctx) {
		p := o.Statement
		if !o.Ended || p.Contributed != o.Status.Contributions || p.Unit != privacy.Record || p.Alarm != "" {
			t.Errorf("%s ended %v with %d contributions in the ledger, %d by the machine, about a %s: %s", o.Name, o.Ended, p.Contributed,
				o.Status.Contributions, p.Unit, p.Alarm)
		}
		for _, spent := range p.Spent {
			if spent.Epsilon > spent.Allowed || p.Contributed > 0 && !(spent.Epsilon > 0) {
				t.Errorf("%s: %+v", o.Name, spent)
			}
		}
	}
}
