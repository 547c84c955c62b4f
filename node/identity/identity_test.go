package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

func newKey(t testing.TB) Key {
	k, err := Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The id is base58 of the
// bytes 0x00 0x24 0x08 0x01 0x12 0x20 and the public key.
func TestIDContainsThePublicKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed")
		k, err := Generate(bytes.NewReader(seed))
		if err != nil {
			t.Fatal(err)
		}
		public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
		want := append([]byte{0, 0x24, 8, 1, 0x12, 0x20}, public...)
		if got := []byte(k.Peer().ID()); !bytes.Equal(got, want) {
			t.Fatalf("id %x, want %x", got, want)
		}
		if !k.Peer().PublicKey().Equal(public) {
			t.Fatal("the public key differs")
		}
		if text := k.Peer().String(); !strings.HasPrefix(text, "12D3KooW") || len(text) != 52 {
			t.Fatalf("the text %s is not as documented", text)
		}
		if p, err := ParsePeer(k.Peer().String()); err != nil || p != k.Peer() {
			t.Fatalf("%v was read as %v, %v", k.Peer(), p, err)
		}
	})
}

func TestPeerIsText(t *testing.T) {
	type entry struct{ Peer Peer }
	var got entry
	want := entry{newKey(t).Peer()}
	data, err := json.Marshal(want)
	if err == nil {
		err = json.Unmarshal(data, &got)
	}
	if err != nil || got != want {
		t.Errorf("%s was read as %v, %v", data, got, err)
	}
}

func TestParsePeerRefuses(t *testing.T) {
	for _, text := range []string{
		"", "lyon", "12D3KooW", newKey(t).Peer().String() + "1", newKey(t).Peer().String()[:51],
		"QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N",                    // hash of an RSA key
		"bafzaajaiaejcal72gwuz2or47oyxxn6b3rkwdmmkrxgkjxzy3rqt5kczyn7lcm3l", // CID spelling
		"16Uiu2HAmPoNYCqDUnbtrYCDPHVDgHZSfPqB6XLbj4EhLKjWyjLDz",             // secp256k1
		strings.Repeat("1", 1000),
	} {
		if p, err := ParsePeer(text); err == nil || fault.Hint(err) == "" {
			t.Errorf("%q was read as %v, %v", text, p, err)
		}
	}
}

// A saved key is loaded as it was, by its owner only, and is not overwritten.
func TestKeyFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "lyon.key")
	k := newKey(t)
	if err := k.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || got.Peer() != k.Peer() {
		t.Fatalf("loaded %v, %v", got.Peer(), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := newKey(t).Save(path); err == nil || fault.Hint(err) == "" {
		t.Errorf("second save: %v", err)
	}
	if got, err := Load(path); err != nil || got.Peer() != k.Peer() {
		t.Errorf("the second save changed the file: %v", err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%d files are left, %v", len(files), err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(fault.Hint(err), "chmod 600") {
		t.Errorf("a key file readable by the group: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	folder := t.TempDir()
	if _, err := Load(filepath.Join(folder, "nothing")); err == nil || fault.Hint(err) == "" {
		t.Errorf("no file: %v", err)
	}
	for name, data := range map[string]string{"empty": "", "text": "hello", "torn": string(newKey(t).encode()[:60])} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := newKey(t).Save(filepath.Join(folder, "no", "folder")); err == nil || fault.Hint(err) == "" {
		t.Errorf("no folder: %v", err)
	}
}

// No verb of fmt prints the secret.
func TestKeyIsNotPrinted(t *testing.T) {
	k := newKey(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, k); !strings.Contains(got, "secret") || strings.Contains(got, fmt.Sprint(k.private[0])) {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}

func TestGenerateNeedsRandomness(t *testing.T) {
	if _, err := Generate(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("a key from 31 bytes")
	}
}

// Any bytes end in an error or in a key that is written again and read alike.
func FuzzParse(f *testing.F) {
	f.Add(newKey(f).encode())
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := parse(data)
		if err != nil {
			return
		}
		if again, err := parse(k.encode()); err != nil || again.Peer() != k.Peer() {
			t.Fatalf("read again as %v, %v", again.Peer(), err)
		}
	})
}

// Any text is refused or is the one spelling of its peer.
func FuzzParsePeer(f *testing.F) {
	f.Add(newKey(f).Peer().String())
	f.Add("QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePeer(text); err == nil && p.String() != text {
			t.Fatalf("%q was read as %v", text, p)
		}
	})
}
