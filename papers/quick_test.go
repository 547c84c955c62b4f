package papers

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// dataFor is a folder with what a study reads; the test is skipped where that is not here.
func dataFor(t *testing.T, s Study) string {
	t.Helper()
	kind, _, _ := strings.Cut(s.Data, "/")
	switch kind {
	case "":
		return ""
	case "houses":
		return housesData(t)
	}
	testdata.Shared(t, "data/"+s.Data)
	return filepath.Dir(testdata.Shared(t, "data/"+kind))
}

// inShort are studies of every kind whose quick version takes well below a second; atLength those that take seconds and whose kind is
// among the others, which -papers.full asks for.
var (
	inShort  = []string{"002-figure-6.1a", "002-table-c.2", "004-figure-1", "002-figure-7.1b", "002-figure-c.2", "002-figure-4.2", "002-figure-a.2"}
	atLength = []string{"000-table-1", "000-table-1-gossip", "000-figure-2-eps-10", "000-figure-3", "000-figure-4", "002-table-a.1", "002-figure-4.5", "002-figure-4.6", "002-figure-a.5", "002-figure-a.6"}
	allTrue  = []string{"002-figure-7.1a", "002-figure-7.1b"} // here what is true is what is printed
)

// The quick version of every study comes out, differs as said, or finds what is true; and each of its checks could have said otherwise.
func TestQuickVersions(t *testing.T) {
	for _, s := range All() {
		if testing.Short() && !slices.Contains(inShort, s.ID) || !*full && slices.Contains(atLength, s.ID) {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			f := quickFindings(t, s, dataFor(t, s))
			_, count := s.Judge(f)
			if count[Pass] == 0 || count[Falls] > 0 && slices.Contains(allTrue, s.ID) {
				t.Errorf("verdicts %v", count)
			}
			canFail(t, f)
		})
	}
}
