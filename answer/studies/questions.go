package studies

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/papers"
)

// ListStudies lists the studies that match all words.
func ListStudies(ask form.Asker, words []string) error {
	found := papers.Search(words...)
	if len(found) == 0 {
		return fault.New(fmt.Sprintf("no study has %q", strings.Join(words, " ")), "hearsay papers list has all of them; fewer words find more")
	}
	type entry struct {
		ID     string `json:"id"`
		Title  string `json:"title"`
		Source string `json:"source"`
		Data   string `json:"data,omitempty"` // what it needs below the data folder
	}
	var list []entry
	t := tabwriter.NewWriter(ask.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range found {
		list = append(list, entry{s.ID, s.Title, s.Source, s.Data})
		fmt.Fprintf(t, "%s\t%s\t(%s)\n", s.ID, s.Title, s.Source)
	}
	if ask.JSON {
		return ask.Value(list)
	}
	return t.Flush()
}

// A RunQuestion holds the settings of `hearsay papers run`.
type RunQuestion struct {
	F StudyQuestion
}

// RunAll runs studies.
func (q *RunQuestion) RunAll(ask form.Asker, args []string) error {
	ctx, err := q.F.Cache.Watched(ask.Context, ask.Stderr)
	if err != nil {
		return err
	}
	ask.Context = ctx
	if slices.Equal(args, []string{"all"}) {
		return RunStudies(ask, papers.All(), q.F)
	}
	found, err := papers.Choose(strings.Join(args, " "))
	if err != nil {
		return err
	}
	if len(found) > 1 { // the parts of one figure
		return RunStudies(ask, found, q.F)
	}
	return RunStudy(ask, found[0], q.F)
}
