//go:build !linux

package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
)

// The ports are below those that systems give to outgoing connections.
const low, high = 20000, 30000

// Hold finds n unused ports, and holds all until the last is found. On this system they are not reserved afterwards: another
// program that names the same port may take it before the intended listener.
func Hold(n int) (all Ports, err error) {
	start := rand.IntN(high - low)
	for i := 0; i < high-low && len(all) < n; i++ {
		at := low + (start+i)%(high-low)
		listener, err := net.Listen("tcp4", net.JoinHostPort(Host, strconv.Itoa(at)))
		if err == nil {
			all = append(all, &Port{Number: at, close: listener.Close})
		}
	}
	if len(all) < n {
		return nil, errors.Join(fault.New(fmt.Sprintf("fewer than %d ports are free on %s", n, Host),
			fmt.Sprintf("end what listens on ports %d to %d", low, high)), all.Close())
	}
	err = all.Close()
	for _, p := range all {
		p.close = func() error { return nil }
	}
	return all, err
}
