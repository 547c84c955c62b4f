package form

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Asker is who puts a question: when it gives up, where notes go, and which of the question's fields it has set, by the
// names of the command's flags.
type Asker struct {
	Context context.Context
	Stdin   io.Reader
	Stdout  io.Writer // for answers
	Stderr  io.Writer // for notes
	JSON    bool      // whether answers are wanted as JSON
	Given   func(flag string) bool
}

// GivenBool is the value of a flag that was given, nil where it was not.
func (a *Asker) GivenBool(flag string, value bool) *bool {
	if a.Given == nil || !a.Given(flag) {
		return nil
	}
	return &value
}

// Say writes a note for whoever waits.
func (a *Asker) Say(what string) { fmt.Fprintln(a.Stderr, what) }

// A SpecQuestion holds what every attack on a spec needs, and where its answer goes.
type SpecQuestion struct {
	Asker
	Out   Destination
	Cache Cache
}

// Watched returns the context of the question with its accountants followed.
func (q *SpecQuestion) Watched() (context.Context, error) {
	return q.Cache.Watched(q.Context, q.Stderr)
}

// A Printer is an answer that prints itself for people.
type Printer interface{ Print(w io.Writer) error }

// Show writes an answer, as JSON if that is wanted.
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

// Answer finds an answer and writes it, as JSON if that is wanted.
func Answer[A Printer](ask Asker, find func() (A, error)) error {
	found, err := find()
	if err != nil {
		return err
	}
	return ask.Show(found)
}
