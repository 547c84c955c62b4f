package form

import (
	"context"
	"fmt"
	"io"
)

// Asker is who puts a question: when it gives up, where notes go, and which of the question's fields it has set, by the
// names of the command's flags.
type Asker struct {
	Context context.Context
	Stderr  io.Writer
	Given   func(flag string) bool
}

// Say writes a note for whoever waits.
func (a *Asker) Say(what string) { fmt.Fprintln(a.Stderr, what) }

// SpecQuestion is what every attack on a spec is asked, and where its answer goes.
type SpecQuestion struct {
	Asker
	Out   Destination
	Cache Cache
}

// Watched returns the context of the question with its accountants followed.
func (q *SpecQuestion) Watched() (context.Context, error) {
	return q.Cache.Watched(q.Context, q.Stderr)
}
