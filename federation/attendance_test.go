package federation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// A result says who took part, to the turn: of oneself how often the data was used, of
// neighbours what was heard, of others nothing.
func TestAResultSaysWhoTookPart(t *testing.T) {
	s := newStage(t, strings.NewReplacer("NAME", "nice", "linger: 3s", "linger: 1m").Replace(rounds)) // all end as soon as all have ended
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, o := range s.all(ctx) {
		if !o.Complete || len(o.Missing) > 0 || len(o.Participants) != len(s.names) {
			t.Fatalf("%s: complete %t, missing %v of %v", o.Name, o.Complete, o.Missing, o.Participants)
		}
		for _, a := range o.Participants {
			switch {
			case a.Self && (a.Name != o.Name || *a.Contributed != o.Statement.Contributed || *a.Planned != 5 || !a.ToTheEnd):
				t.Errorf("%s of itself: %+v", o.Name, a)
			case a.Neighbour && (!a.ToTheEnd || a.Contributed != nil || a.Last != nil && (*a.First > *a.Last || *a.Last >= o.Status.Turns)):
				t.Errorf("%s of %s: %+v", o.Name, a.Name, a)
			case !a.Self && !a.Neighbour && (a.Values > 0 || a.ToTheEnd || o.Name == "nice"):
				t.Errorf("%s of %s, no neighbour: %+v", o.Name, a.Name, a)
			}
		}
		if text := o.attended(); !strings.Contains(text, " took part to the end.") || (o.Name != "nice") != strings.Contains(text, "the reports of") {
			t.Errorf("%s: %s", o.Name, text)
		}
		if o.Own != nil {
			if _, err := os.Stat(filepath.Join(o.Folder, MetricsFile)); err != nil {
				t.Error(err)
			}
		}
	}
}

// Who was not there at the end is named, with its last turn.
func TestAResultSaysWhoIsMissing(t *testing.T) {
	at := func(turn int64) Attendance {
		return Attendance{Name: "paris", Neighbour: true, First: turnOf(3), Last: turnOf(turn)}
	}
	o := &Outcome{Name: "lyon", Participants: []Attendance{{Name: "lyon", Self: true, ToTheEnd: true}, at(9), {Name: "brest", Neighbour: true}, {Name: "far"}}}
	o.Status.Turns, o.Ended = 20, true
	names, _ := o.missing()
	text := o.attended()
	if strings.Join(names, " ") != "paris brest" || !strings.HasPrefix(text, "INCOMPLETE: paris was not there at the end; its last value is of turn 9 of 20; brest") ||
		!strings.HasSuffix(text, "Whether the other participant did, the reports of its own neighbours say.") {
		t.Errorf("%v: %s", names, text)
	}
}

// Nobody is said to have missed the end by a participant that has not seen it.
func TestNobodyMissesAnEndThatIsNotSeen(t *testing.T) {
	at := Attendance{Name: "paris", Neighbour: true, First: turnOf(3), Last: turnOf(9)}
	for want, o := range map[string]*Outcome{
		"INCOMPLETE: this participant has not seen the end; the last value of paris is of turn 9 of 20; no value of brest was ever heard.":  {},
		"INCOMPLETE: this participant skipped the last step; the last value of paris is of turn 9 of 20; no value of brest was ever heard.": {Ended: true, Behind: true},
	} {
		o.Participants, o.Status.Turns = []Attendance{{Name: "lyon", Self: true}, at, {Name: "brest", Neighbour: true}}, 20
		if text := o.attended(); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

// The report of the start before is read at any size of a report of results; one that is no report is an error.
func TestTheEarlierReportIsRead(t *testing.T) {
	f, dir := &Federation{}, t.TempDir()
	if before, err := f.earlier(dir); before != nil || err != nil {
		t.Errorf("without a report: %v, %v", before, err)
	}
	for text, want := range map[string]int{
		fmt.Sprintf(`{"model": "%s", "status": {"spec": "%x"}, "participants": [{"name": "lyon"}]}`, strings.Repeat("x", 2*largestFile), f.Hash): 1,
		`{"status": {"spec": "of another run"}, "participants": [{"name": "lyon"}]}`:                                                             0,
		`{"status": `: -1,
	} {
		if err := os.WriteFile(filepath.Join(dir, ReportFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := f.earlier(dir)
		if (err != nil) != (want < 0) || len(before) != max(0, want) {
			t.Errorf("%.60s: %v, %v", text, before, err)
		}
	}
}

func turnOf(turn int64) *step.Turn {
	t := step.Turn(turn)
	return &t
}
