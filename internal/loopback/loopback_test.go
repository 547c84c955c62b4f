package loopback

import (
	"net"
	"runtime"
	"testing"
)

// A port that is kept can be listened on by its number, again and again, by one
// at a time.
func TestWhoNamesAPortMayListen(t *testing.T) {
	ports, err := Hold(1)
	if err != nil {
		t.Fatal(err)
	}
	defer ports.Close()
	p := ports[0]
	for range 3 {
		l, err := net.Listen("tcp4", p.Address())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.Listen("tcp4", l.Addr().String()); err == nil {
			t.Error("two listen on one port")
		}
		near, err := net.Dial("tcp4", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		far, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		near.Close()
		far.Close()
		l.Close()
	}
	if _, err := net.Dial("tcp4", p.Address()); err == nil {
		t.Error("somebody answers where nobody listens")
	}
}

// Whoever asks for any port, to listen on or to call from, is never given one that
// is kept, in as many tries as there are ports.
func TestNobodyIsGivenAKeptPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: this system cannot keep a port")
	}
	kept, err := Hold(200)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	is := map[int]bool{}
	for _, p := range kept {
		if is[p.Number] {
			t.Errorf("port %d was given twice", p.Number)
		}
		is[p.Number] = true
	}
	server, err := net.Listen("tcp4", Host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	for range 10000 {
		l, err := net.Listen("tcp4", Host+":0")
		if err != nil {
			t.Fatal(err)
		}
		if is[l.Addr().(*net.TCPAddr).Port] {
			t.Fatalf("%s was given to another listener", l.Addr())
		}
		l.Close()
	}
	for range 1000 {
		c, err := net.Dial("tcp4", server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if is[c.LocalAddr().(*net.TCPAddr).Port] {
			t.Fatalf("a call goes out from %s", c.LocalAddr())
		}
		c.Close()
	}
}
