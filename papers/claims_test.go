package papers

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// housesData is a folder with the houses data, or where that is not here with a made-up
// table of the same size.
func housesData(t *testing.T) string {
	t.Helper()
	houses, ok := testdata.Find(t, "data/houses/houses.csv")
	if !ok {
		houses = testdata.Houses(t, 20640)
	}
	return filepath.Dir(filepath.Dir(houses))
}

// quickFindings are those of a study's quick version, every one of which must hold.
func quickFindings(t *testing.T, s Study, data string) *Findings {
	t.Helper()
	study := s.Quick()
	found, err := study.Findings(context.Background(), data, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, found)
	for _, claim := range study.Failed(found) {
		t.Error(claim)
	}
	return found
}
