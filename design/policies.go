package design

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Federation says how a spec becomes a run of real participants.
type Federation struct {
	Policies []string `json:"policies"`      // files of the participants' policies, in their order
	Checked  bool     `json:"checked"`       // every policy was held against the federation's plan
	Commands []string `json:"commands"`      // the first and the last that assemble it
	Why      string   `json:"why,omitempty"` // why there are no commands
}

// PolicyText returns the wishes of a participant as the file of its policy, which its own node holds plans against.
func (w *Wishes) PolicyText(participant int) ([]byte, error) {
	p := w.Participants[participant]
	epsilon := keysOf{"neighbours": *p.Policy.Each, "others": *p.Policy.Each}
	if len(p.Policy.Coalitions) > 0 {
		epsilon["coalitions"] = p.Policy.Coalitions
	}
	if len(p.Policy.Named) > 0 {
		epsilon["named"] = p.Policy.Named
	}
	if p.Policy.Public != nil {
		epsilon["public"] = *p.Policy.Public
	}
	text, err := yamltext.Marshal(keysOf{"unit": cmp.Or(p.Policy.Unit, spec.UnitParticipant), "delta": w.Delta, "epsilon": epsilon})
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("# What %s accepts, as its wishes say. hearsay policy prints every key of a policy.\n", p.Name)
	return append([]byte(head), text...), nil
}

// Says describes the commands, or gives the reason why there are none.
func (f *Federation) Says() string {
	if f.Why != "" {
		return "The spec makes no federation that every policy accepts: " + f.Why + "."
	}
	checked := "Each participant's policy is compared when it signs."
	if f.Checked {
		checked = "Every policy accepts the federation's plan, and is compared again when its participant signs."
	}
	return checked + " The first command begins a federation of this spec and says the next steps. The last signs it; each participant signs by its own policy:"
}
