package federation

import (
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// A node listens on all interfaces where others find it by name, and otherwise
// on the address that they dial.
func TestListenable(t *testing.T) {
	for given, want := range map[string]string{
		"/dns4/hearsay.lyon.example/tcp/4100": "/ip4/0.0.0.0/tcp/4100",
		"/dns/lyon.example/udp/4100/quic-v1":  "/ip4/0.0.0.0/udp/4100/quic-v1",
		"/dns6/lyon.example/tcp/4100":         "/ip6/::/tcp/4100",
		"/ip4/192.0.2.7/tcp/4100":             "/ip4/192.0.2.7/tcp/4100",
		"/ip6/2001:db8::7/udp/4100/quic-v1":   "/ip6/2001:db8::7/udp/4100/quic-v1",
	} {
		addresses, err := Addresses([]string{given})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := listenable(addresses); err != nil || len(got) != 1 || got[0].String() != want {
			t.Errorf("%s: %v, %v, want %s", given, got, err, want)
		}
	}
}

// Any text is refused with a hint or is an address that a node may listen on.
func FuzzAddresses(f *testing.F) {
	for _, text := range []string{"/ip4/192.0.2.7/tcp/4100", "/dns4/lyon.example/udp/1/quic-v1", "/unix/tmp", "/ip4", "", "/dns4//tcp/1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		addresses, err := Addresses([]string{text})
		if err != nil {
			if fault.Hint(err) == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if _, err := listenable(addresses); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
