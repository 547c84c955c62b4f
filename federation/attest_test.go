package federation

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// Whatever a file holds, it is the statement that its node has signed, or an error.
func FuzzReadStatement(f *testing.F) {
	text := "name: test\ngraph: complete:3\nparticipants:\n"
	var own identity.Key
	for _, name := range []string{"lyon", "nice", "paris"} {
		key, err := identity.Generate(rand.Reader)
		if err != nil {
			f.Fatal(err)
		}
		own = key
		text += fmt.Sprintf("  - {name: %s, key: %s, addresses: [/ip4/192.0.2.7/tcp/4100]}\n", name, key.Peer())
	}
	s, err := experiment.Parse([]byte(text+quick), "spec.yaml")
	if err != nil {
		f.Fatal(err)
	}
	fed, err := Open(f.Context(), s, "paris")
	if err != nil {
		f.Fatal(err)
	}
	plan, err := fed.Plan(f.Context(), 2)
	if err != nil {
		f.Fatal(err)
	}
	statement := fed.Stating(plan, 3, 0, 5)
	facts := Facts{Participant: "paris", Spec: fmt.Sprintf("%x", fed.Hash), Sizes: []int{2}, Contributed: 3, Releases: 5, Ledger: End{7, "ab"}}
	if err := statement.attest(own, facts); err != nil {
		f.Fatal(err)
	}
	signed, err := json.Marshal(statement)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := ReadStatement(signed, fed.Spec, fed.Hash); err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Add([]byte(`{"facts": {"participant": "lyon"}, "signature": "", "towards": []}`))
	f.Add([]byte(`{"participant": "paris", "facts": null, "signature": null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := ReadStatement(text, fed.Spec, fed.Hash); err != nil {
			return
		}
		var plain bytes.Buffer
		if json.Compact(&plain, text) != nil || !bytes.Equal(plain.Bytes(), signed) {
			t.Errorf("it is not what was signed: %s", text)
		}
	})
}
