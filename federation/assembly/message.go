package assembly

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"

	"github.com/hearsay-dp/hearsay/node/identity"
)

// An ID identifies a federation by the hash of its invitation. As text it is hexadecimal.
type ID [32]byte

// String returns id in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText returns id in hexadecimal.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText accepts 64 hexadecimal digits.
func (id *ID) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != len(id) {
		return errors.New("not 64 hexadecimal digits")
	}
	copy(id[:], raw)
	return nil
}

// A signed holds a message with its author's signature.
type signed[B any] struct {
	Body      B                  `json:"body"`
	Signature identity.Signature `json:"signature"`
}

// encode returns the unique encoding of a value. Values here consist of strings and whole numbers,
// which always have one.
func encode(v any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("assembly: " + err.Error())
	}
	return text.Bytes()
}

// decode decodes the output of encode, and refuses any other spelling of the same value.
func decode(payload []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(encode(v), payload) {
		return errors.New("it is not spelt as Hearsay spells it")
	}
	return nil
}

// seal signs a body and returns both, encoded.
func seal[B any](key identity.Key, purpose string, body B) []byte {
	return encode(signed[B]{body, key.Sign(purpose, encode(body))})
}

// open decodes a body, and returns an error unless it is signed by the key that author reads from
// it.
func open[B any](payload []byte, kind, purpose string, author func(*B) identity.Peer) (*B, error) {
	var s signed[B]
	if err := decode(payload, &s); err != nil {
		return nil, broken(kind, err.Error())
	}
	if !author(&s.Body).Signed(purpose, encode(s.Body), s.Signature) {
		return nil, broken(kind, "it was not signed by the key that it names")
	}
	return &s.Body, nil
}
