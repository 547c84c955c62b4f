package trainer

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/safetensors"
)

// A Hello is the description that a program gives of itself.
type Hello struct {
	Name                string
	Engine              string // method of computing gradients: vmap, factors, loop, or its own
	Layout              Layout
	Initial             []float64 // initial parameters of a run
	Begin               string    // digest of Initial
	TrainRows, TestRows int
}

// same reports whether a restarted program is the same as before.
func (h Hello) same(as Hello) bool {
	return h.Name == as.Name && h.Layout.Digest() == as.Layout.Digest() && h.Begin == as.Begin && h.TrainRows == as.TrainRows && h.TestRows == as.TestRows
}

// mostHeld is the largest number of rows that a program may hold.
const mostHeld = 1 << 30

// helloOf decodes a hello.
func helloOf(m *safetensors.Message) (h Hello, p *plan, err error) {
	if m.Says["answer"] != "hello" || m.Says["version"] != version {
		return h, nil, safetensors.Malformed("%.40q of version %.40q instead of a hello of version %s", m.Says["answer"], m.Says["version"], version)
	}
	h.Name, h.Engine = oneLine(m.Says["name"]), oneLine(m.Says["engine"])
	if err := json.Unmarshal([]byte(m.Says["layout"]), &h.Layout); err != nil {
		return h, nil, safetensors.Malformed("its layout is no JSON")
	}
	if err := h.Layout.check(); err != nil {
		return h, nil, err
	}
	var factors [][]string
	if text := m.Says["factors"]; text != "" {
		if err := json.Unmarshal([]byte(text), &factors); err != nil {
			return h, nil, safetensors.Malformed("its factors are no JSON")
		}
	}
	if p, err = planOf(h.Layout, factors); err != nil {
		return h, nil, err
	}
	if h.TrainRows, err = count(m.Says["train_rows"]); err != nil {
		return h, nil, err
	}
	if h.TestRows, err = count(m.Says["test_rows"]); err != nil {
		return h, nil, err
	}
	t := m.Tensors["initial"]
	if t == nil || t.DType != "F32" || len(t.Shape) != 1 || t.Shape[0] != p.parameters || len(m.Tensors) != 1 {
		return h, nil, safetensors.Malformed("no tensor \"initial\" of F32 and shape [%d], or others", p.parameters)
	}
	h.Begin, h.Initial = digest(t.Data), make([]float64, p.parameters)
	safetensors.Doubles(h.Initial, t.Data)
	return h, p, nil
}

func count(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostHeld {
		return 0, safetensors.Malformed("%.40q rows", text)
	}
	return n, nil
}

// oneLine returns text of a program without characters that could move a
// terminal's cursor.
func oneLine(text string) string {
	keep := func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x9b {
			return ' '
		}
		return r
	}
	return strings.TrimSpace(strings.Map(keep, strings.ToValidUTF8(text, "?")))
}
