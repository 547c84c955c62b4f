package assembly

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// MostText is the maximal length in bytes of a text that holds messages.
const MostText = 8 << 20

// The kinds of message.
const (
	invitation = "INVITATION"
	acceptance = "ACCEPTANCE"
	signature  = "SIGNATURE"
)

// mostPayload is the maximal length in bytes of a message, by kind.
var mostPayload = map[string]int{invitation: 1 << 20, acceptance: 8 << 10, signature: 1 << 10}

// armoured is the number of base64 characters in a line.
const armoured = 64

const begins, ends, closes = "-----BEGIN HEARSAY ", "-----END HEARSAY ", "-----"

// strict encodes each payload as exactly one text.
var strict = base64.StdEncoding.Strict()

// armour writes a message as text that fits into a mail.
func armour(to *bytes.Buffer, kind string, payload []byte) {
	text := strict.EncodeToString(payload)
	fmt.Fprintln(to, begins+kind+closes)
	for len(text) > 0 {
		n := min(armoured, len(text))
		fmt.Fprintln(to, text[:n])
		text = text[n:]
	}
	fmt.Fprintln(to, ends+kind+closes)
}

// A block is a message in a text.
type block struct {
	kind    string
	payload []byte
}

// blocks returns the messages in a text, in their order. It ignores text around messages, and the
// quotation marks that mail programs put before lines. Any other text within a message is an error.
func blocks(text []byte) (all []block, err error) {
	if len(text) > MostText {
		return nil, fault.New(fmt.Sprintf("the text is longer than %d bytes", MostText), "give the messages alone")
	}
	var kind string
	var body strings.Builder
	for line := range strings.Lines(string(text)) {
		line = unquoted(line)
		opened, begun := marked(line, begins)
		switch {
		case begun && kind != "":
			return nil, broken(kind, "another one begins within it")
		case begun && mostPayload[opened] == 0:
			return nil, fault.New(fmt.Sprintf("%.40q is no message that this version knows", opened), "take a newer version, or have the sender take this one")
		case begun:
			kind = opened
			body.Reset()
		case kind == "":
		case line == ends+kind+closes:
			payload, err := strict.DecodeString(body.String())
			if err != nil {
				return nil, broken(kind, "its letters are not those that were sent")
			}
			all = append(all, block{kind, payload})
			kind = ""
		default:
			body.WriteString(line)
			if body.Len() > strict.EncodedLen(mostPayload[kind]) {
				return nil, broken(kind, fmt.Sprintf("it is longer than %d bytes", mostPayload[kind]))
			}
		}
	}
	if kind != "" {
		return nil, broken(kind, "its end is missing")
	}
	return all, nil
}

// unquoted returns a line without quotation marks of mail programs and surrounding spaces.
func unquoted(line string) string { return strings.TrimSpace(strings.TrimLeft(line, "> \t")) }

// marked returns the kind of message in a line that begins with by and ends a mark. is reports
// whether line is such a mark.
func marked(line, by string) (kind string, is bool) {
	rest, is := strings.CutPrefix(line, by)
	if !is {
		return "", false
	}
	return strings.CutSuffix(rest, closes)
}

func broken(kind, what string) error {
	return fault.New(fmt.Sprintf("the %s is damaged: %s", strings.ToLower(kind), what),
		"have it sent again, best as a file; copy all from BEGIN HEARSAY to END HEARSAY")
}
