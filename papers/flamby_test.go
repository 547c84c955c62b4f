package papers

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// The quick version of flamby-heart has every finding of docs/COMPARISON.md.
func TestFLambyQuick(t *testing.T) {
	data := filepath.Dir(testdata.Shared(t, "data/heart"))
	study, err := besideFLamby().Quick()
	if err != nil {
		t.Fatal(err)
	}
	found, err := study.Findings(context.Background(), data, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, found)
	for _, claim := range found.Failed() {
		t.Error(claim)
	}
}
