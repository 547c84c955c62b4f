package papers

import (
	"path/filepath"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// The quick version of flamby-heart has every finding of docs/COMPARISON.md.
func TestFLambyQuick(t *testing.T) {
	data := filepath.Dir(testdata.Shared(t, "data/heart"))
	quickFindings(t, besideFLamby(), data)
}
