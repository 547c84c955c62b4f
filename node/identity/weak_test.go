package identity

import (
	"crypto/ed25519"
	"encoding/hex"
	"testing"

	"filippo.io/edwards25519"

	"github.com/hearsay-dp/hearsay/fault"
)

// Nobody is called by a key under which anybody can sign, by bytes that are no key, or by a second spelling of one.
func TestWeakKeysAreRefused(t *testing.T) {
	turn, err := hex.DecodeString("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a") // of order 8
	if err != nil {
		t.Fatal(err)
	}
	step, err := new(edwards25519.Point).SetBytes(turn)
	if err != nil {
		t.Fatal(err)
	}
	bad, at := [][]byte{}, edwards25519.NewIdentityPoint()
	for range 8 {
		bad = append(bad, at.Bytes())
		at = new(edwards25519.Point).Add(at, step)
	}
	for _, text := range []string{
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", // 1, spelt as p + 1
		"0200000000000000000000000000000000000000000000000000000000000000", // no point has this y
	} {
		raw, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		bad = append(bad, raw)
	}
	for _, raw := range bad {
		p, err := ParsePeer(Peer{[ed25519.PublicKeySize]byte(raw)}.String())
		if err == nil || fault.Hint(err) == "" {
			t.Errorf("%x is taken for the key of %v", raw, p)
		}
	}
	// The kind of forgery that this is about: a signature of all zeros but for the identity's R holds for the identity.
	forged := append(edwards25519.NewIdentityPoint().Bytes(), make([]byte, 32)...)
	if !ed25519.Verify(edwards25519.NewIdentityPoint().Bytes(), []byte("max: 100"), forged) {
		t.Error("the standard library refuses it by itself")
	}
}
