package cells

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hearsay-dp/hearsay/report"
)

// A Heard receives the answer to job i and the name that its worker gives itself. worker is "" if the answer was
// computed here.
type Heard func(i int, worker string, answer []byte) error

// Hold refuses a result whose spec differs from that of its cell, before it calls accept. resolved returns the resolved
// spec of a cell (spec.Spec.Plain).
func Hold(accept Heard, resolved func(i int) (any, error)) Heard {
	return func(i int, worker string, answer []byte) error {
		said := &report.Result{}
		if err := json.Unmarshal(answer, said); err != nil {
			return accept(i, named(worker), answer) // accept reports the error in the text
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

// named returns the name of a worker. It never returns "".
func named(worker string) string {
	if worker == "" {
		return "a worker without a name"
	}
	return worker
}

// Price replaces the losses of every result by those that price computes here. Losses are bit-identical wherever they
// are computed. So a result with other losses is false, and it ends the sweep.
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

// SameLosses reports whether a result has exactly the losses that were computed here.
func SameLosses(own *report.Privacy, said *report.Result) bool { return alike(own, &said.Privacy) }

// alike reports whether two values are equal as JSON that has been decoded once.
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
