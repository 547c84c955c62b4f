package cells

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hearsay-dp/hearsay/report"
)

// A Heard is told the answer to job i, and what the worker that gave it calls itself. An answer that was
// found again here has no worker.
type Heard func(i int, worker string, answer []byte) error

// Hold refuses a result that is of another spec than its cell, before accept is told of it. resolved
// returns the resolved spec of a cell (spec.Spec.Plain).
func Hold(accept Heard, resolved func(i int) (any, error)) Heard {
	return func(i int, worker string, answer []byte) error {
		said := &report.Result{}
		if err := json.Unmarshal(answer, said); err != nil {
			return accept(i, named(worker), answer) // which says what is wrong with a text
		}
		own, err := resolved(i)
		if err != nil {
			return distrusted(i, fmt.Sprintf("whose spec is refused here (%v)", err))
		}
		if !alike(own, said.Spec) {
			return distrusted(i, "that is of another spec than the cell")
		}
		return accept(i, named(worker), answer)
	}
}

// named is what a worker calls itself, which is never empty.
func named(worker string) string {
	if worker == "" {
		return "a worker without a name"
	}
	return worker
}

// Price replaces the losses of every result by those that price finds here. A result with other losses is not true, since
// losses are the same bits wherever they are found, and ends the sweep.
func Price(accept Heard, price func(i int) (*report.Privacy, error)) Heard {
	return func(i int, worker string, answer []byte) error {
		said := &report.Result{}
		if json.Unmarshal(answer, said) != nil || len(said.Privacy.All()) == 0 {
			return accept(i, worker, answer)
		}
		own, err := price(i)
		if err != nil {
			return distrusted(i, fmt.Sprintf("whose losses cannot be had here (%v)", err))
		}
		if !SameLosses(own, said) {
			return distrusted(i, fmt.Sprintf("whose losses are others here: mean loss %s at sigma %.6g, here %s at %.6g, or what they assume differs",
				report.Loss(float64(said.Privacy.Mean), said.Privacy.Status), said.Privacy.Sigma, report.Loss(float64(own.Mean), own.Status), own.Sigma))
		}
		return accept(i, "", answer)
	}
}

// SameLosses reports whether a result has all that was found here of its losses, and nothing else.
func SameLosses(own *report.Privacy, said *report.Result) bool { return alike(own, &said.Privacy) }

// alike reports whether two values are the same as JSON that has been read once.
func alike(a, b any) bool {
	one, err := again(a)
	other, failed := again(b)
	return err == nil && failed == nil && bytes.Equal(one, other)
}

func again(value any) (text []byte, err error) {
	var plain any
	if text, err = json.Marshal(value); err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}
