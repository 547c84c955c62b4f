package wire

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

// vectorCodec is that of the reader in docs/WIRE.md.
var vectorCodec = Codec{Federation: Federation{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, MaxParams: 64}

// blocks are the fenced blocks of docs/WIRE.md with this label, in lines.
func blocks(t *testing.T, label string, least int) [][]string {
	page, err := os.ReadFile("../../docs/WIRE.md")
	if err != nil {
		t.Fatal(err)
	}
	var found [][]string
	parts := strings.Split(string(page), "\n```"+label+"\n")
	for _, part := range parts[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		found = append(found, strings.Split(block, "\n"))
	}
	if len(found) < least {
		t.Fatalf("docs/WIRE.md has %d blocks %q, want %d", len(found), label, least)
	}
	return found
}

// values are the "name value" pairs of a block, and the lines that may have
// several values.
type values struct {
	t     *testing.T
	named map[string]string
	lines map[string][]string // rest of the lines "body ...", "field ..."
}

func read(t *testing.T, block []string) values {
	v := values{t, map[string]string{}, map[string][]string{}}
	for _, line := range block {
		words := strings.Fields(line)
		if words[0] == "body" || words[0] == "field" {
			v.lines[words[0]] = append(v.lines[words[0]], words[1:]...)
			continue
		}
		for i := 0; i+1 < len(words); i += 2 {
			v.named[words[i]] = words[i+1]
		}
	}
	return v
}

func (v values) number(name string) uint64 {
	n, err := strconv.ParseUint(v.named[name], 10, 64)
	if err != nil {
		v.t.Fatalf("%s: %v", name, err)
	}
	return n
}

// position reads the fields of a position, whose names begin with prefix.
func (v values) position(prefix string) Position {
	return Position{
		Start: Start(unhex(v.t, v.named[prefix+"start"])), Entries: v.number(prefix + "entries"), Seal: Seal(unhex(v.t, v.named[prefix+"seal"])),
	}
}

func unhex(t *testing.T, text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) == 0 {
		t.Fatalf("%q: %v", text, err)
	}
	return data
}

// frame is the frame of a message vector.
func (v values) frame() Frame {
	f := Frame{
		Kind: Kind(v.number("kind")), Incarnation: v.number("incarnation"), Sequence: v.number("sequence"), Epoch: v.number("epoch"), At: v.position(""),
		Msg: step.Msg{
			Kind: step.Kind(v.number("message")), From: step.NodeID(v.number("from")), To: step.NodeID(v.number("to")),
			Lane: step.Lane(v.number("lane")), Turn: step.Turn(v.number("turn")),
		},
	}
	for _, word := range v.lines["body"] {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			v.t.Fatal(err)
		}
		f.Msg.Body = append(f.Msg.Body, x)
	}
	return f
}

// The message vectors are written and read as docs/WIRE.md says.
func TestMessageVectors(t *testing.T) {
	for _, block := range blocks(t, "vector", 3) {
		v := read(t, block)
		want, data := v.frame(), unhex(t, v.named["frame"])
		if got, err := vectorCodec.Append(nil, &want); err != nil || !bytes.Equal(got, data) {
			t.Errorf("written as\n%x, %v, want\n%x", got, err, data)
		}
		var got Frame
		if err := vectorCodec.Decode(data, &got); err != nil || !sameFrame(&got, &want) {
			t.Errorf("read as %+v, %v, want %+v", got, err, want)
		}
	}
}

// hello is the hello of a hello vector.
func (v values) hello() Hello {
	h := Hello{
		From: step.NodeID(v.number("from")), To: step.NodeID(v.number("to")), Incarnation: v.number("incarnation"),
		Own: Account{Ledger(unhex(v.t, v.named["ledger"])), v.position("")}, Releases: v.number("releases"),
		Spec: [32]byte(unhex(v.t, v.named["spec"])),
	}
	if id := v.named["known-ledger"]; id != "" {
		h.Known = &Account{Ledger(unhex(v.t, id)), v.position("known-")}
	}
	for i := 0; i < len(v.lines["field"]); i += 2 {
		h.Fields = append(h.Fields, Field{v.lines["field"][i], Digest(unhex(v.t, v.lines["field"][i+1]))})
	}
	return h
}

// The hello vectors are written and read as docs/WIRE.md says.
func TestHelloVectors(t *testing.T) {
	for _, block := range blocks(t, "hello", 2) {
		v := read(t, block)
		want, data := v.hello(), unhex(t, v.named["frame"])
		if got, err := AppendHello(nil, &want); err != nil || !bytes.Equal(got, data) {
			t.Errorf("written as\n%x, %v, want\n%x", got, err, data)
		}
		if got, err := DecodeHello(data); err != nil || !sameHello(&got, &want) {
			t.Errorf("read as %+v, %v, want %+v", got, err, want)
		}
	}
}

// The refused vectors are refused for the reason that docs/WIRE.md gives.
func TestRefusedVectors(t *testing.T) {
	for _, line := range blocks(t, "refused", 1)[0] {
		reason, frame, _ := strings.Cut(line, " ")
		var f Frame
		if err := vectorCodec.Decode(unhex(t, frame), &f); Reason(err) != reason {
			t.Errorf("%s: %v (%s), want %s", frame, err, Reason(err), reason)
		}
	}
}

// The page names every reason.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/WIRE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range Reasons() {
		if !strings.Contains(string(page), "`"+label+"`") {
			t.Errorf("docs/WIRE.md does not name %q", label)
		}
	}
}

// The page and its table of the first four bytes give the version and the kinds of this package.
func TestFirstBytesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/WIRE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		fmt.Sprintf("\nVersion %d. ", Version),
		fmt.Sprintf("\n| 0 | 2 | `%02x %02x` (%q) |\n", magic0, magic1, []byte{magic0, magic1}),
		fmt.Sprintf("\n| 2 | 1 | version: %d |\n", Version),
		fmt.Sprintf("\n| 3 | 1 | kind: %d hello, %d step, %d node |\n", KindHello, KindStep, KindNode),
	} {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/WIRE.md does not say %q", strings.TrimSpace(line))
		}
	}
}
