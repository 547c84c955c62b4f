package trainer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/safetensors"
	"github.com/hearsay-dp/hearsay/report"
)

// A Layout lists the trained tensors of a model in order, and a digest of the frozen ones.
type Layout struct {
	Tensors []report.Tensor `json:"tensors"`
	Frozen  string          `json:"frozen,omitempty"` // sha256:HEX; "" if there are none
}

// Parameters returns the number of trained parameters.
func (l Layout) Parameters() (count int) {
	for _, t := range l.Tensors {
		count += t.Len()
	}
	return count
}

// Digest returns the digest that a spec records.
func (l Layout) Digest() string {
	text, err := json.Marshal(l)
	if err != nil {
		panic("trainer: " + err.Error()) // texts and whole numbers
	}
	return digest(text)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// mostTensors and mostParameters bound the size of a model.
const mostTensors, mostParameters = 1 << 14, 1 << 28

// check refuses a layout that no model can have.
func (l Layout) check() error {
	if len(l.Tensors) == 0 || len(l.Tensors) > mostTensors {
		return safetensors.Malformed("a layout of %d tensors, 1 to %d are allowed", len(l.Tensors), mostTensors)
	}
	seen, all := map[string]bool{}, 0
	for _, t := range l.Tensors {
		if t.Name == "" || len(t.Name) > 256 || seen[t.Name] || t.Name == safetensors.Metadata {
			return safetensors.Malformed("a tensor called %.64q, or two of one name", t.Name)
		}
		seen[t.Name] = true
		count := 1
		for _, k := range t.Shape {
			if k < 1 || k > mostParameters || count*k > mostParameters {
				return safetensors.Malformed("tensor %q of shape %v", t.Name, t.Shape)
			}
			count *= k
		}
		if all += count; all > mostParameters {
			return safetensors.Malformed("more than %d parameters", mostParameters)
		}
	}
	return nil
}

// A dense is a layer whose gradients come as factors: the inputs and the slopes of the outputs.
type dense struct {
	weight, bias int // indices of the first parameter; bias is -1 if there is none
	in, out      int
}

// A plan describes the form of gradients: factors of dense layers, and rows of all other parameters.
type plan struct {
	parameters int
	layers     []dense
	spans      [][2]int // ranges of the other tensors, in order
}

// planOf returns the plan of a layout. factors names each dense layer by its weights and, if it has one,
// its bias.
func planOf(l Layout, factors [][]string) (*plan, error) {
	at, of := map[string]int{}, map[string]report.Tensor{}
	p := &plan{}
	for _, t := range l.Tensors {
		at[t.Name], of[t.Name] = p.parameters, t
		p.parameters += t.Len()
	}
	factored := map[string]bool{}
	for _, names := range factors {
		if len(names) < 1 || len(names) > 2 {
			return nil, safetensors.Malformed("factors of %d tensors: weights, and constants or none", len(names))
		}
		for _, name := range names {
			if _, known := of[name]; !known || factored[name] {
				return nil, safetensors.Malformed("factors of %.64q, which is no tensor, or named twice", name)
			}
			factored[name] = true
		}
		w := of[names[0]]
		if len(w.Shape) != 2 {
			return nil, safetensors.Malformed("factors of %q, whose shape %v is no matrix", w.Name, w.Shape)
		}
		layer := dense{weight: at[w.Name], bias: -1, in: w.Shape[1], out: w.Shape[0]}
		if len(names) == 2 {
			if b := of[names[1]]; b.Len() != layer.out {
				return nil, safetensors.Malformed("factors of %q, of %d outputs, with %d constants", w.Name, layer.out, b.Len())
			}
			layer.bias = at[names[1]]
		}
		p.layers = append(p.layers, layer)
	}
	for _, t := range l.Tensors {
		if !factored[t.Name] {
			p.spans = append(p.spans, [2]int{at[t.Name], at[t.Name] + t.Len()})
		}
	}
	return p, nil
}

func (d dense) String() string { return fmt.Sprintf("%d to %d", d.in, d.out) }
