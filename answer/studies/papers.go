package studies

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/papers"
)

// A StudyQuestion holds the settings of `hearsay papers run`.
type StudyQuestion struct {
	Data, Out, Summary string
	Quick              bool
	Workers            int // studies in parallel
	Cache              form.Cache
}

// MostStudies is the default number of studies in parallel. Each takes several hundred megabytes.
const MostStudies = 4

// RunStudy runs one study and prints the outcome of each claim.
func RunStudy(ask form.Asker, study papers.Study, f StudyQuestion) error {
	if err := checkStudyData(study, f.Data); err != nil {
		return err
	}
	say := func(line string) { fmt.Fprintln(ask.Stderr, line) }
	say(study.ID + ": " + study.Title)
	record, err := study.Make(ask.Context, f.Data, f.Quick, say)
	if err != nil {
		return err
	}
	if f.Out != "" {
		place := study.Place(f.Out)
		if place != f.Out {
			say(fmt.Sprintf("%s has another study: this one is in %s", f.Out, place))
		}
		if err := record.Write(place); err != nil {
			return err
		}
	}
	if err := writeSummary([]papers.Entry{{Study: study, Record: record}}, study.ID, f); err != nil {
		return err
	}
	if err := printStudy(ask, study, record.Findings); err != nil {
		return err
	}
	if failed := study.Failed(record.Findings); len(failed) > 0 {
		return fault.New(fmt.Sprintf("%s does not show what the paper shows: %s", study.ID, strings.Join(failed, "; ")),
			"look at the tables; docs/PAPERS.md says what was measured before")
	}
	return nil
}

func checkStudyData(study papers.Study, data string) error {
	if study.Data == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(data, filepath.FromSlash(study.Data))); errors.Is(err, os.ErrNotExist) {
		hint := "give the folder with --data, or fetch it: hearsay data fetch houses"
		if path.Dir(study.Data) == "mnist" {
			hint = "give the folder with --data, or fetch it: hearsay data fetch mnist --dir " + filepath.Join(data, "mnist")
		}
		if study.Data == "heart" {
			hint = "give the folder with --data, or fetch it: hearsay data fetch heart --dir " + filepath.Join(data, "heart")
		}
		if path.Dir(study.Data) == "facebook" {
			hint = "give the folder with --data; the file is one of SNAP's ego-Facebook edge lists"
		}
		return fault.New(fmt.Sprintf("%s needs %s below %s, and it is not there", study.ID, study.Data, data), hint)
	}
	return nil
}

// printStudy prints only the runs if a study has nothing else.
func printStudy(ask form.Asker, study papers.Study, found *papers.Findings) error {
	switch {
	case !ask.JSON:
		return study.WriteText(ask.Stdout, found)
	case len(found.Checks) == 0:
		return ask.Value(found.Outcomes)
	}
	return ask.Value(found)
}
