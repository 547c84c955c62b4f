package identity

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is signed for a purpose is said by that key, for that purpose, and nothing else.
func TestSignatureIsOfOneSayingByOneKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed")
		k, err := Generate(bytes.NewReader(seed))
		if err != nil {
			t.Fatal(err)
		}
		message := rapid.SliceOf(rapid.Byte()).Draw(t, "message")
		purpose := strings.ReplaceAll(rapid.String().Draw(t, "purpose"), "\x00", "")
		s := k.Sign(purpose, message)
		if !k.Peer().Signed(purpose, message, s) {
			t.Fatal("a signature is refused")
		}
		var again Signature
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Fatalf("%v: %v", s, err)
		}
		if k.Peer().Signed(purpose+"x", message, s) || k.Peer().Signed(purpose, append(message, 0), s) {
			t.Fatal("a signature is taken for something else")
		}
		seed[0] ^= 1
		other, err := Generate(bytes.NewReader(seed))
		if err != nil {
			t.Fatal(err)
		}
		if other.Peer().Signed(purpose, message, s) {
			t.Fatal("a signature is taken for another's")
		}
		at := rapid.IntRange(0, len(s)-1).Draw(t, "at")
		s[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if k.Peer().Signed(purpose, message, s) {
			t.Fatal("a changed signature is taken")
		}
	})
}

func TestSignatureHasOneText(t *testing.T) {
	s := newKey(t).Sign("a test", nil).String()
	for _, text := range []string{"", s[:87], s + "=", s[:86] + "==" + "\n", s[:40] + "\n" + s[40:], strings.Repeat("A", 85) + "B==", strings.Repeat("*", 88)} {
		var read Signature
		if err := read.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as a signature", text)
		}
	}
}
