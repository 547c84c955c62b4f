package form

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// An Asker holds the surroundings of a question: its context, its streams, and the flags that were given. Given reports
// whether the flag of this name was given.
type Asker struct {
	Context context.Context
	Stdin   io.Reader
	Stdout  io.Writer // for answers
	Stderr  io.Writer // for notes
	JSON    bool      // write answers as JSON
	Given   func(flag string) bool
}

// GivenBool returns the value of a flag if the flag was given. It returns nil if not.
func (a *Asker) GivenBool(flag string, value bool) *bool {
	if a.Given == nil || !a.Given(flag) {
		return nil
	}
	return &value
}

// Say writes a note to Stderr.
func (a *Asker) Say(what string) { fmt.Fprintln(a.Stderr, what) }

// A SpecQuestion holds the settings that every attack on a spec shares, with the destination of its answer.
type SpecQuestion struct {
	Asker
	Out   Destination
	Cache Cache
}

// Watched returns the question's context. Accountants under it show progress and use the question's cache.
func (q *SpecQuestion) Watched() (context.Context, error) {
	return q.Cache.Watched(q.Context, q.Stderr)
}

// A Printer is an answer that prints itself for people.
type Printer interface{ Print(w io.Writer) error }

// Show writes an answer, as JSON if a.JSON is set.
func (a *Asker) Show(answer Printer) error {
	if a.JSON {
		return a.Value(answer)
	}
	return answer.Print(a.Stdout)
}

// Value writes v as the one JSON value of a command.
func (a *Asker) Value(v any) error {
	encoder := json.NewEncoder(a.Stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// Answer calls find and writes the answer, as JSON if ask.JSON is set.
func Answer[A Printer](ask Asker, find func() (A, error)) error {
	found, err := find()
	if err != nil {
		return err
	}
	return ask.Show(found)
}
