package form

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/kept"
)

// A CacheQuestion holds the settings of `hearsay privacy cache`.
type CacheQuestion struct {
	Cache Cache
	Clear bool
}

// Answer writes the folder and the size of the cache, encoded rows included. It first clears the cache if q.Clear is set.
func (q *CacheQuestion) Answer(ask Asker, args []string) error {
	keeper, folder, err := q.Cache.Keeper(ask.Stderr)
	if err != nil {
		return err
	}
	answer := struct {
		Folder string `json:"folder"` // "": nothing is kept
		Files  int    `json:"files"`
		Bytes  int64  `json:"bytes"`
	}{Folder: folder}
	if keeper != nil {
		for _, k := range []*kept.Folder{q.Cache.rows(ask.Stderr), keeper} { // the inner folder first
			if q.Clear {
				k.Clear()
			}
			files, bytes := k.Size()
			answer.Files, answer.Bytes = answer.Files+files, answer.Bytes+bytes
		}
	}
	if ask.JSON {
		return ask.Value(answer)
	}
	if keeper == nil {
		fmt.Fprintln(ask.Stdout, "nothing is kept")
		return nil
	}
	fmt.Fprintf(ask.Stdout, "%s: %d files, %.1f MB\n", answer.Folder, answer.Files, float64(answer.Bytes)/1e6)
	return nil
}
