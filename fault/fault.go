// Package fault defines the errors that Hearsay shows to a person. Each has one line that names the value and the
// place, and one hint how to fix it.
package fault

import (
	"errors"
	"fmt"
)

// Error is a failure with a hint. It may wrap the error that caused it.
type Error struct {
	What string
	Hint string
	Err  error
}

// ErrLater is the cause of an error if the same command may succeed later.
var ErrLater = errors.New("try again later")

// New returns an error with a hint.
func New(what, hint string) *Error { return &Error{What: what, Hint: hint} }

// Wrap returns an error with a hint caused by err, whose text it ends with.
func Wrap(err error, what, hint string) *Error {
	return &Error{What: fmt.Sprintf("%s: %v", what, err), Hint: hint, Err: err}
}

// Error returns the one line, without the hint.
func (e *Error) Error() string { return e.What }

// Unwrap returns the cause, if any.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the hint of the outermost Error in err's chain, "" if there is none.
func Hint(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
