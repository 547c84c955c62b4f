package report

import (
	"io"

	"github.com/hearsay-dp/hearsay/internal/safetensors"
)

// TensorsFile is the file with the parameters of an external model.
const TensorsFile = "model.safetensors"

// External describes a model that another program computes.
type External struct {
	Name    string   `json:"name"`              // name in the program
	Layout  string   `json:"layout"`            // digest of its tensors
	Initial string   `json:"initial,omitempty"` // digest of a run's initial parameters
	Tensors []Tensor `json:"tensors"`           // in the order of the parameters
}

// A Tensor is a part of an external model under the program's own name.
type Tensor struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

// Len returns the number of entries of the tensor.
func (t Tensor) Len() int {
	n := 1
	for _, k := range t.Shape {
		n *= k
	}
	return n
}

// Write writes parameters as safetensors, in single precision, under the program's names.
func (e *External) Write(w io.Writer, parameters []float64) error {
	m := safetensors.New(map[string]string{"format": "pt", "layout": e.Layout})
	for _, t := range e.Tensors {
		m.Put(t.Name, "F32", t.Shape, safetensors.Singles(nil, parameters[:t.Len()]))
		parameters = parameters[t.Len():]
	}
	return m.Write(w)
}
