package wire

import (
	"errors"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// The reasons for which a frame is refused. Every error of this package wraps
// exactly one of them, so that refusals can be counted with Reason.
var (
	ErrVersion     = errors.New("unknown version")
	ErrTooLarge    = errors.New("too large")
	ErrTruncated   = errors.New("truncated")
	ErrChecksum    = errors.New("wrong checksum")
	ErrForeign     = errors.New("of another federation")
	ErrMisdirected = errors.New("sender or receiver is not the one of this link")
	ErrReplay      = errors.New("replayed")
	ErrReordered   = errors.New("out of order")
	ErrMalformed   = errors.New("malformed")
)

// reasons gives each error a label fit for a metric.
var reasons = []struct {
	err   error
	label string
}{
	{ErrVersion, "version"},
	{ErrTooLarge, "too_large"},
	{ErrTruncated, "truncated"},
	{ErrChecksum, "checksum"},
	{ErrForeign, "foreign"},
	{ErrMisdirected, "misdirected"},
	{ErrReplay, "replay"},
	{ErrReordered, "reordered"},
	{ErrMalformed, "malformed"},
}

// Reason returns a short label of the reason for which err refused a frame. It returns "" for an error of another
// package.
func Reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.label
		}
	}
	return ""
}

// Reasons returns all labels that Reason can return, in a fixed order.
func Reasons() []string {
	labels := make([]string, len(reasons))
	for i, r := range reasons {
		labels[i] = r.label
	}
	return labels
}

// refuse returns an error that wraps reason and describes the fault of a frame.
func refuse(reason error, hint, format string, args ...any) error {
	return fault.Wrap(reason, fmt.Sprintf(format, args...), hint)
}

const (
	hintVersion = "run the same release of hearsay on both nodes"
	hintBroken  = "the sender or the path damaged the frame; if it goes on, compare the releases of both nodes"
	hintForeign = "compare the two specs: hello frames name the field that differs"
	hintLimit   = "both nodes must be given the same spec; a neighbour that goes on sends more than the model has"
	hintAgain   = "the sender sends again what matters; nothing to do unless the counter keeps growing"
	hintCaller  = "this is a fault of the sending program: a model must stay finite and its ids positive"
)
