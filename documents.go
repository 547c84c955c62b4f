package hearsay

import (
	"embed"
	"io/fs"
)

//go:embed *.md docs papers/RESULTS.md python/README.md python/examples bench/README.md examples
var documents embed.FS

// Documents returns the documentation of this version by its path in the repository: Markdown pages with
// their pictures, and the examples.
func Documents() fs.FS { return documents }
